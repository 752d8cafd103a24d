0 run tests/errors/W0852-trembles.nsm --quiet -o /dev/null
