4 check tests/errors/no-such-file.nsm
