0 run tests/errors/W0853-trembles.nsm --quiet -o /dev/null
