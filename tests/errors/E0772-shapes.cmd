2 sens models/stack_of_boxes.nsm --of energy --by g --scheme moreau --located on
