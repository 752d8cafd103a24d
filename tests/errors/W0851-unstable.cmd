0 run tests/errors/W0851-unstable.nsm --record energy --quiet -o /dev/null
