// What a command undoes however it ends, by itself, by a signal or for want of memory: its temporary folder, a file
// that is not in place yet, a process that works for it. Only in a program that calls ending_watch: a library's host
// has signals of its own, and several threads.
#pragma once
#include <stdbool.h>
#include <sys/types.h>

void ending_watch(void);                      // once, by main: from now on things are noted, and undone at exit
bool ending_watched(void);

// Notes a thing and undoes what was noted of this kind by ending_undo; NULL and 0 take it back. No signal comes between
// the making of a thing and its note if it is made between ending_hold and ending_release.
void ending_folder(const char *path);         // a folder with files, no folders within
void ending_file(const char *path);
void ending_child(pid_t child, int number);   // it gets this signal, with its process group if it leads one
void ending_family(void);                     // its process group gets SIGTERM, and its children are waited for

void ending_hold(void);
void ending_release(void);
void ending_in_child(void);                   // after fork, in the child: what was noted is the parent's; signals come

// Undoes all that is noted. It may be called by a signal handler: it allocates nothing.
void ending_undo(void);

bool folder_remove(const char *path);         // with the files in it; likewise; false: errno says why
