2 fit models/bouncing_ball.nsm --located on --data models/bouncing_ball.nsm --match z --vary e=0:1
