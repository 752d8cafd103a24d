# nsm as a container: docker build -t nsm . && docker run --rm -v "$PWD:/models" nsm run ball.nsm
# Not tried: no docker was at hand. The steps are those of docs/library.md, "Install".
FROM debian:bookworm AS build
COPY . /nsm
RUN /nsm/nsm version && cmake --install /nsm/build/release --prefix /opt/nsm

FROM debian:bookworm-slim
COPY --from=build /opt/nsm /opt/nsm
ENV PATH=/opt/nsm/bin:$PATH
WORKDIR /models
ENTRYPOINT ["nsm"]
