2 sens models/arch_of_blocks.nsm --of energy --by n
