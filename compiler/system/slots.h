// Slots of a class: the distinct variables that its expressions read.
#pragma once
#include "system.h"

typedef struct SlotList { Arena *arena; System *sys; SysClass *cls; int cap; } SlotList;

SlotList slots_of(Arena *a, System *s, SysClass *c);
void slots_collect(SlotList *l, Ex e);                    // adds the variables of e (in order of symbol)
void slots_whole_turns(SlotList *l);                      // where one turn of a body is a slot, all three
int  slots_add(SlotList *l, int value_symbol);  // adds (or finds) one variable by its VALUE or RATE symbol; slot number
int  slots_find(const SysClass *c, int symbol);           // slot whose value or rate is this symbol; -1
// The constant condition under which the expressions read a symbol, or its rate (-1: it has none); EX_NONE: always.
Ex   guard_of(System *s, const Ex *e, int n, int value, int rate);
void slots_guard(System *s, SysClass *c, const Ex *e, int n);  // works out Slot.guard from all expressions of the class
void entries_push(Arena *a, Entries *es, Entry e);        // drops structural zeros
bool is_variable(int id, void *system);                   // VALUE or RATE symbol?
