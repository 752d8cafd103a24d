1 run models/incline.nsm --set mu=-0.1
