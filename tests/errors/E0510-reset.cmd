3 sens tests/errors/E0510-reset.nsm --of z --by z(0) --located on
