// For wasm32: there are no plug-ins.
#pragma once
enum { RTLD_NOW = 2, RTLD_LOCAL = 0 };
static inline void *dlopen(const char *file, int how) { (void)file; (void)how; return (void *)0; }
static inline void *dlsym(void *library, const char *name) { (void)library; (void)name; return (void *)0; }
static inline int dlclose(void *library) { (void)library; return 0; }
