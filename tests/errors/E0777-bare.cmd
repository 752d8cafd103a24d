2 fit models/bouncing_ball.nsm --located on
