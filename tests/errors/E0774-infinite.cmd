3 sens tests/errors/E0774-infinite.nsm --of x --by k
