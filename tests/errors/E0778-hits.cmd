3 fit models/bouncing_ball.nsm --located on --data
tests/errors/E0778-hits.csv --match hit(floor,30)~t_hit --vary e=0:0.95 --until 1s
