// What the command asks of its allocator.
#pragma once

// Once, before anything is compiled.
void use_large_pages(void);
