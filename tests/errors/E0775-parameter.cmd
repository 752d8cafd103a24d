2 sens models/bouncing_ball.nsm --located on --of z --by f
