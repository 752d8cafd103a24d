// Writing to a descriptor.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// All n bytes, however often the system takes a part of them or is interrupted. False: the rest cannot be written, and
// errno says why.
bool write_whole(int fd, const char *bytes, size_t n);
