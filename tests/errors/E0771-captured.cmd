2 sens models/bouncing_ball.nsm --of z --by e --located off
