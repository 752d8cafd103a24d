// Tables by libhdf5. Each column is a data set in chunks of `rows` rows; the chunk under way is in memory and is
// written whole, past all of HDF5's buffers (H5Dwrite_chunk), when it is full or the file is flushed, when the part
// that is not yet filled lies beyond the length of the data set.
//
// What describes the file (lengths, where chunks are) stays in memory between two flushes: the metadata cache may not
// evict. A process that is killed between two flushes leaves the file of the last one. After a write that failed
// nothing more is written, and the file is not closed, as HDF5 would then write what it has.
#include "../hdf5.h"
#include <errno.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1 << 14, LEAST_ROWS = 64 };

typedef struct column { hid_t set; char *piece; int width, text; } column;
typedef struct table {
  column *of;
  int n;
  hsize_t rows, piece, in_piece;       // all; of a piece; of the one under way
  int dirty;
  struct table *next;
  struct file *in;
} table;
typedef struct file { hid_t id; table *first; int failed; } file;

// ---- files ----------------------------------------------------------------------------------------------------------
static int keep_metadata(hid_t access) {
  H5AC_cache_config_t c = { .version = H5AC__CURR_CACHE_CONFIG_VERSION };
  if (H5Pget_mdc_config(access, &c) < 0) return 0;
  c.evictions_enabled = 0;
  c.incr_mode = H5C_incr__off;
  c.flash_incr_mode = H5C_flash_incr__off;
  c.decr_mode = H5C_decr__off;
  return H5Pset_mdc_config(access, &c) >= 0;
}

static void *open_file(const char *path) {
  file *f = calloc(1, sizeof *f);
  H5dont_atexit();                                         // a file that failed stays open
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  errno = 0;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  int good = f && access >= 0 && keep_metadata(access) && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
             (f->id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)) >= 0;
  H5Pclose(access);
  if (good) return f;
  free(f);
  return NULL;
}

// ---- texts and numbers ----------------------------------------------------------------------------------------------
// Of n bytes, or H5T_VARIABLE.
static hid_t text_type(size_t n) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, n);
  H5Tset_strpad(type, n == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

static int put_attribute(hid_t on, const char *name, const char *text) {
  hid_t type = text_type(H5T_VARIABLE), space = H5Screate(H5S_SCALAR);
  if (H5Aexists(on, name) > 0) H5Adelete(on, name);
  hid_t a = H5Acreate2(on, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  int good = a >= 0 && H5Awrite(a, type, &text) >= 0;
  H5Aclose(a);
  H5Sclose(space);
  H5Tclose(type);
  return good;
}

static int put_meaning(hid_t set, const nsm_h5_column *c) {
  return (!c->unit || !*c->unit || put_attribute(set, "units", c->unit)) &&
         (!c->description || !*c->description || put_attribute(set, "description", c->description));
}

static int attribute(void *with, const char *name, const char *text) {
  return put_attribute(((file *)with)->id, name, text);
}

static int text(void *with, const char *name, const char *bytes) {
  hid_t type = text_type(H5T_VARIABLE), space = H5Screate(H5S_SCALAR), on = ((file *)with)->id;
  if (H5Lexists(on, name, H5P_DEFAULT) > 0) H5Ldelete(on, name, H5P_DEFAULT);
  hid_t set = H5Dcreate2(on, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  int good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &bytes) >= 0;
  H5Dclose(set);
  H5Sclose(space);
  H5Tclose(type);
  return good;
}

// The group of this name, made where it is not there.
static hid_t group(hid_t on, const char *name) {
  if (H5Lexists(on, name, H5P_DEFAULT) > 0) return H5Gopen2(on, name, H5P_DEFAULT);
  return H5Gcreate2(on, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static int value(void *with, const char *in, const nsm_h5_column *c, double x) {
  hid_t g = group(((file *)with)->id, in), space = H5Screate(H5S_SCALAR);
  hid_t set = H5Dcreate2(g, c->name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  int good = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &x) >= 0 &&
             put_meaning(set, c);
  H5Dclose(set);
  H5Sclose(space);
  H5Gclose(g);
  return good;
}

// ---- tables ---------------------------------------------------------------------------------------------------------
static int make_column(hid_t in, const nsm_h5_column *c, const table *t, column *out) {
  hsize_t none = 0, any = H5S_UNLIMITED;
  hid_t space = H5Screate_simple(1, &none, &any), how = H5Pcreate(H5P_DATASET_CREATE);
  hid_t type = c->width > 0 ? text_type((size_t)c->width) : H5Tcopy(H5T_NATIVE_DOUBLE);
  out->text = c->width > 0;
  out->width = c->width > 0 ? c->width : (int)sizeof(double);
  out->piece = calloc((size_t)t->piece, (size_t)out->width);
  int good = out->piece && H5Pset_chunk(how, 1, &t->piece) >= 0;
  out->set = good ? H5Dcreate2(in, c->name, type, space, H5P_DEFAULT, how, H5P_DEFAULT) : -1;
  good = good && out->set >= 0 && put_meaning(out->set, c);
  H5Tclose(type);
  H5Pclose(how);
  H5Sclose(space);
  return good;
}

static void *make_table(void *with, const char *name, const nsm_h5_column *c, int n, long expected) {
  file *f = with;
  table *t = calloc(1, sizeof *t);
  if (!t || !(t->of = calloc((size_t)n + 1, sizeof *t->of))) { free(t); return NULL; }
  t->piece = LEAST_ROWS;
  while (t->piece < MOST_ROWS && (long)t->piece < expected) t->piece *= 2;
  t->next = f->first;
  t->in = f;
  f->first = t;
  hid_t g = group(f->id, name);
  int good = g >= 0;
  for (; good && t->n < n; t->n++) good = make_column(g, &c[t->n], t, &t->of[t->n]);
  H5Gclose(g);
  return good ? t : NULL;
}

// The piece under way, and the lengths with it.
static int write_piece(table *t) {
  hsize_t at = t->rows - t->in_piece;
  for (int i = 0; i < t->n; i++) {
    column *c = &t->of[i];
    if (H5Dset_extent(c->set, &t->rows) < 0 ||
        H5Dwrite_chunk(c->set, H5P_DEFAULT, 0, &at, (size_t)t->piece * (size_t)c->width, c->piece) < 0)
      return 0;
  }
  t->dirty = 0;
  return 1;
}

static int row(void *with, const double *number, const int *which, const char *const *words) {
  table *t = with;
  int numbers = 0, texts = 0;
  for (int i = 0; i < t->n; i++) {
    column *c = &t->of[i];
    char *to = c->piece + t->in_piece * (hsize_t)c->width;
    if (c->text) {
      size_t n = strnlen(words[texts], (size_t)c->width);
      memcpy(to, words[texts++], n);
      memset(to + n, 0, (size_t)c->width - n);
    }
    else { memcpy(to, &number[which ? which[numbers] : numbers], sizeof(double)); numbers++; }
  }
  if (t->in->failed) return 0;
  t->rows++;
  t->dirty = 1;
  if (++t->in_piece < t->piece) return 1;
  errno = 0;
  t->in->failed = !write_piece(t);
  t->in_piece = 0;
  return !t->in->failed;
}

static int flush(void *with) {
  file *f = with;
  errno = 0;
  for (table *t = f->first; t && !f->failed; t = t->next) f->failed = t->dirty && t->in_piece > 0 && !write_piece(t);
  f->failed = f->failed || H5Fflush(f->id, H5F_SCOPE_GLOBAL) < 0;
  return !f->failed;
}

static int close_file(void *with) {
  file *f = with;
  int good = flush(f);
  for (table *t = f->first, *next; t; t = next) {
    next = t->next;
    for (int i = 0; i < t->n; i++) {
      if (good) H5Dclose(t->of[i].set);
      free(t->of[i].piece);
    }
    free(t->of);
    free(t);
  }
  if (good) good = H5Fclose(f->id) >= 0;
  free(f);
  return good;
}

extern const nsm_h5 nsm_hdf5;
const nsm_h5 nsm_hdf5 = { NSM_H5_VERSION, open_file, attribute, text, value, make_table, row, flush, close_file };
