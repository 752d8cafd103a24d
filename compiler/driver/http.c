// The server: poll over a few connections, each with what it has sent so far. A request that is too long, too slow or
// no HTTP is answered with an error, and its connection is closed; so is every connection after its answer.
#define _GNU_SOURCE
#include <ctype.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "http.h"

enum { CONNECTIONS = 32, HEAD_MOST = 16 << 10, BODY_MOST = 256 << 10, PATIENCE = 20, SLICE = 200 };   // s, ms

typedef struct Connection {
  int    fd;                            // -1: free
  Text   in;
  double since;
} Connection;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool http_open(HttpServer *s, int port) {
  struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  socklen_t n = sizeof at;
  int yes = 1;
  s->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s->socket < 0) return false;
  setsockopt(s->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(s->socket, (struct sockaddr *)&at, sizeof at) || listen(s->socket, CONNECTIONS) ||
      getsockname(s->socket, (struct sockaddr *)&at, &n)) {
    int why = errno;
    close(s->socket);
    errno = why;
    return false;
  }
  s->port = ntohs(at.sin_port);
  return true;
}

// ---- answers --------------------------------------------------------------------------------------------------------
static const char *reason(int status) {
  switch (status) {
  case 200: return "OK";
  case 400: return "Bad Request";
  case 403: return "Forbidden";
  case 404: return "Not Found";
  case 405: return "Method Not Allowed";
  case 408: return "Request Timeout";
  case 413: return "Content Too Large";
  case 422: return "Unprocessable Content";
  default:  return "Internal Server Error";
  }
}

static bool send_all(int fd, const char *bytes, size_t n) {
  double until = seconds() + PATIENCE;
  while (n > 0 && seconds() < until) {
    ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
    if (sent > 0) {
      bytes += sent;
      n -= (size_t)sent;
      until = seconds() + PATIENCE;
    } else if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
      struct pollfd p = { fd, POLLOUT, 0 };
      poll(&p, 1, SLICE);
    } else return false;
  }
  return n == 0;
}

static void send_answer(int fd, const HttpAnswer *a) {
  Text head = {0};
  text_printf(&head, "HTTP/1.1 %d %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\n", a->status,
              reason(a->status), a->type, a->body.n);
  text_add(&head, "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                  "X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                  "Referrer-Policy: no-referrer\r\n\r\n");
  if (send_all(fd, head.at, head.n)) send_all(fd, a->body.at, a->body.n);
  text_free(&head);
}

// What was not read would reset the answer.
static void hang_up(int fd) {
  char rest[4096];
  shutdown(fd, SHUT_WR);
  for (int i = 0; i < 64 && recv(fd, rest, sizeof rest, MSG_DONTWAIT) > 0; i++) {}
  close(fd);
}

void http_answer(int fd, const HttpAnswer *a) {
  send_answer(fd, a);
  hang_up(fd);
}

static void refuse(int fd, int status, const char *why) {
  HttpAnswer a = { .status = status, .type = "text/plain" };
  text_printf(&a.body, "%s\n", why);
  send_answer(fd, &a);
  text_free(&a.body);
}

// ---- requests -------------------------------------------------------------------------------------------------------
// The value of a header in the lines between head and end, each ended by a NUL; NULL: it is not there. Twice: *twice.
static const char *header(const char *head, const char *end, const char *name, bool *twice) {
  const char *found = NULL;
  size_t n = strlen(name);
  for (const char *line = head; line < end; line += strlen(line) + 1)
    if (!strncasecmp(line, name, n) && line[n] == ':') {
      if (found) *twice = true;
      found = line + n + 1 + strspn(line + n + 1, " \t");
    }
  return found;
}

static bool own_name(const char *host, int port) {
  char a[40], b[40];
  snprintf(a, sizeof a, "127.0.0.1:%d", port);
  snprintf(b, sizeof b, "localhost:%d", port);
  return !strcmp(host, a) || !strcmp(host, b);
}

// Does the request come from this machine's own page? Browsers say by Host where they think that they are, by Origin
// and Sec-Fetch-Site who asks.
static bool from_here(const char *head, const char *end, int port) {
  bool twice = false;
  const char *host = header(head, end, "Host", &twice), *origin = header(head, end, "Origin", &twice);
  const char *site = header(head, end, "Sec-Fetch-Site", &twice);
  if (twice || !host || !own_name(host, port)) return false;
  if (origin && (strncmp(origin, "http://", 7) || !own_name(origin + 7, port))) return false;
  return !site || !strcmp(site, "same-origin") || !strcmp(site, "none");
}

// Ends each line of the head by a NUL. False: it holds what no head holds.
static bool split_lines(char *head, size_t n) {
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)head[i];
    if (c == '\r') head[i] = head[i + 1] == '\n' ? 0 : head[i];
    if (c == '\n') {
      if (i == 0 || head[i - 1] != 0) return false;
      head[i] = 0;
    } else if (c == 0 || c == 0x7f || (c < 0x20 && c != '\t' && c != '\r')) return false;
  }
  return true;
}

// RFC 9112, 5.1: a name and at once its colon. A reader may take what stands there otherwise for a header or for none.
static bool headers_are_plain(const char *line, const char *end) {
  for (; line < end; line += strlen(line) + 1) {
    size_t n = 0;
    while (isalnum((unsigned char)line[n]) || (line[n] && strchr("!#$%&'*+-.^_`|~", line[n]))) n++;
    if (*line && (n == 0 || line[n] != ':')) return false;
  }
  return true;
}

typedef enum { WAIT, CLOSE, GIVEN_AWAY } Next;

// Looks at what came so far; answers once the request is whole.
static Next look(Connection *c, const HttpServer *s, HttpHandler *handle, void *with) {
  char *text = c->in.at, *blank = text ? memmem(text, c->in.n, "\r\n\r\n", 4) : NULL;
  if (!blank) {
    if (c->in.n <= HEAD_MOST) return WAIT;
    refuse(c->fd, 413, "the head of the request is too long");
    return CLOSE;
  }
  size_t nhead = (size_t)(blank - text) + 2;
  char *head = malloc(nhead + 1);
  if (!head) return CLOSE;
  memcpy(head, text, nhead);
  head[nhead] = 0;
  int status = 400;
  const char *why = "this is no request that a browser makes";
  Next next = CLOSE;
  char method[8] = "", path[256] = "", version[16] = "";
  bool twice = false;
  if (!split_lines(head, nhead) || sscanf(head, "%7[A-Z] %255[!-~] %15[!-~]", method, path, version) != 3 ||
      strncmp(version, "HTTP/1.", 7)) goto done;
  const char *lines = head + strlen(head) + 1, *last = head + nhead;
  if (!headers_are_plain(lines, last)) goto done;
  if (!from_here(lines, last, s->port)) {
    status = 403;
    why = "only the page that this server gave may ask it";
    goto done;
  }
  const char *length = header(lines, last, "Content-Length", &twice);
  if (twice || header(lines, last, "Transfer-Encoding", &twice)) goto done;
  size_t want = 0;
  for (const char *d = length ? length : ""; *d; d++) {
    if (*d < '0' || *d > '9') goto done;
    want = 10 * want + (size_t)(*d - '0');
    if (want > BODY_MOST) { status = 413; why = "the body of the request is too long"; goto done; }
  }
  if (c->in.n < nhead + 2 + want) { next = WAIT; goto silent; }
  c->in.at[nhead + 2 + want] = 0;
  HttpRequest r = { method, path, c->in.at + nhead + 2, want, c->fd };
  HttpAnswer a = { .status = 404, .type = "text/plain" };
  if (handle(&r, &a, with)) send_answer(c->fd, &a);
  else next = GIVEN_AWAY;
  text_free(&a.body);
  goto silent;
done:
  refuse(c->fd, status, why);
silent:
  free(head);
  return next;
}

// ---- connections ----------------------------------------------------------------------------------------------------
static void forget(Connection *c) {
  text_free(&c->in);
  c->fd = -1;
}

static void drop(Connection *c) {
  if (c->fd < 0) return;
  hang_up(c->fd);
  forget(c);
}

static void take(Connection *all, int fd) {
  Connection *oldest = &all[0];
  for (int i = 0; i < CONNECTIONS; i++) {
    if (all[i].fd < 0) { oldest = &all[i]; break; }
    if (all[i].since < oldest->since) oldest = &all[i];
  }
  drop(oldest);
  *oldest = (Connection){ .fd = fd, .since = seconds() };
}

static void receive(Connection *c, const HttpServer *s, HttpHandler *handle, void *with) {
  char part[16384];
  ssize_t n = recv(c->fd, part, sizeof part, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n > 0) text_addn(&c->in, part, (size_t)n);
  Next next = n > 0 ? look(c, s, handle, with) : CLOSE;
  if (next == CLOSE) drop(c);
  if (next != GIVEN_AWAY) return;
  close(c->fd);
  forget(c);
}

void http_serve(HttpServer *s, HttpHandler *handle, void *with) {
  Connection all[CONNECTIONS];
  for (int i = 0; i < CONNECTIONS; i++) all[i] = (Connection){ .fd = -1 };
  for (;;) {
    struct pollfd p[CONNECTIONS + 1] = { { s->socket, POLLIN, 0 } };
    for (int i = 0; i < CONNECTIONS; i++) p[i + 1] = (struct pollfd){ all[i].fd, POLLIN, 0 };
    if (poll(p, CONNECTIONS + 1, SLICE) < 0 && errno != EINTR) break;
    for (int i = 0; i < CONNECTIONS; i++) {
      if (all[i].fd < 0) continue;
      if (p[i + 1].fd == all[i].fd && p[i + 1].revents) receive(&all[i], s, handle, with);
      else if (seconds() - all[i].since > PATIENCE) {
        if (all[i].in.n) refuse(all[i].fd, 408, "the request did not end");
        drop(&all[i]);
      }
    }
    if (p[0].revents) {
      int fd = accept4(s->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd >= 0) take(all, fd);
    }
  }
  for (int i = 0; i < CONNECTIONS; i++) drop(&all[i]);
  close(s->socket);
}
