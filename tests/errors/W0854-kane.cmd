0 run tests/errors/W0854-kane.nsm --quiet -o /dev/null
