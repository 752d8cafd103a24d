2 sens tests/errors/E0772-shares.nsm --of x --by mu
