2 sens models/bouncing_ball.nsm --located on --of height --by e
