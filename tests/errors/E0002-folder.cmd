4 check tests/errors
