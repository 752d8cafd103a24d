0 run tests/errors/W0850-drift.nsm --quiet -o /dev/null
