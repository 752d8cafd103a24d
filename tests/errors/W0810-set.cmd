5 run models/oscillator_with_stop.nsm --set e=-1 --expect --quiet -o /dev/null
