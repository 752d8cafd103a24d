2 sens models/pendulum.nsm --of energy --by m --scheme midpoint
