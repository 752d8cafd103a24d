// runtime/nsm_abi.h as text, NUL-terminated: what emitted C is compiled with. The build makes the definition.
#pragma once
extern const char nsm_abi_text[];
