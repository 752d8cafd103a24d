// Which file a path means, whatever it is called; and the three streams.
#define _DEFAULT_SOURCE
#include "outputs.h"
#include "flags.h"
#include "runtime/clock/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum { NOTHING, FILE_THERE, FILE_TO_BE } what_it_is;
typedef struct identity { what_it_is what; dev_t device; ino_t inode; char path[PATH_MAX]; } identity;

// ---- identity -------------------------------------------------------------------------------------------------------
// The path of a file that does not exist yet: links are followed, also those that lead nowhere. 0 where there is none.
static int path_to_be(const char *path, char *out, int depth) {
  char folder[PATH_MAX], target[PATH_MAX];
  if (depth > 40 || strlen(path) >= PATH_MAX) return 0;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  int n = slash ? (int)(slash - path) : 0;
  ssize_t link = readlink(path, target, sizeof target - 1);
  if (link > 0) {
    target[link] = 0;
    char next[2 * PATH_MAX];
    if (*target == '/' || !slash) snprintf(next, sizeof next, "%s", target);
    else snprintf(next, sizeof next, "%.*s/%s", n, path, target);
    return path_to_be(next, out, depth + 1);
  }
  char real[PATH_MAX];
  snprintf(folder, sizeof folder, "%.*s", slash ? n ? n : 1 : 1, slash ? path : ".");
  if (!realpath(folder, real)) return 0;
  return snprintf(out, PATH_MAX, "%s/%s", strcmp(real, "/") ? real : "", name) < PATH_MAX;
}

static void identify(const struct stat *st, identity *id) {
  if (!S_ISREG(st->st_mode)) return;
  id->what = FILE_THERE;
  id->device = st->st_dev;
  id->inode = st->st_ino;
}

// stream: what "-" means.
static void identify_path(const char *path, int stream, identity *id) {
  struct stat st;
  id->what = NOTHING;
  int there = strcmp(path, "-") == 0 ? fstat(stream, &st) : stat(path, &st);
  if (there == 0) identify(&st, id);
  else if (strcmp(path, "-") != 0 && path_to_be(path, id->path, 0)) id->what = FILE_TO_BE;
}

static int same(const identity *a, const identity *b) {
  if (a->what != b->what || a->what == NOTHING) return 0;
  return a->what == FILE_THERE ? a->device == b->device && a->inode == b->inode : strcmp(a->path, b->path) == 0;
}

// ---- outputs --------------------------------------------------------------------------------------------------------
static const char *shown(const char *path, const char *stream) { return strcmp(path, "-") ? path : stream; }

// A folder that is not there is said before the work is done.
static int has_folder(const char *path, nsm_error *e) {
  char folder[PATH_MAX];
  struct stat st;
  const char *slash = strrchr(path, '/');
  if (!slash) return 1;
  snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
  if (stat(folder, &st) == 0) return 1;
  sim_fail(e, NSM_FILE, "cannot write to %s: %s", path, strerror(errno));
  return 0;
}

nsm_code nsm_outputs_check(const char *const *input, int ninput, const nsm_output *output, int noutput, nsm_error *e) {
  identity a, b;
  for (int i = 0; i < noutput; i++) {
    if (!has_folder(output[i].path, e)) return NSM_FILE;
    identify_path(output[i].path, STDOUT_FILENO, &a);
    const char *name = shown(output[i].path, "standard output");
    for (int k = 0; k < ninput; k++) {
      identify_path(input[k], STDIN_FILENO, &b);
      if (!same(&a, &b)) continue;
      if (strcmp(input[k], "/proc/self/exe") == 0)
        sim_fail(e, NSM_USAGE, "%s %s is this program itself; choose another file", output[i].flag, name);
      else
        sim_fail(e, NSM_USAGE, "%s %s is the file %s that is read; choose another one", output[i].flag, name,
                 shown(input[k], "on standard input"));
      return NSM_USAGE;
    }
    for (int k = 0; k < i; k++) {
      identify_path(output[k].path, STDOUT_FILENO, &b);
      if (!same(&a, &b) && !(strcmp(output[i].path, "-") == 0 && strcmp(output[k].path, "-") == 0)) continue;
      sim_fail(e, NSM_USAGE, "%s and %s would write to the same place, %s; choose another one", output[k].flag,
               output[i].flag, name);
      return NSM_USAGE;
    }
    struct stat st;
    b.what = NOTHING;
    if (strcmp(output[i].path, "-") != 0 && fstat(STDERR_FILENO, &st) == 0) identify(&st, &b);
    if (same(&a, &b)) {
      sim_fail(e, NSM_USAGE, "%s %s is the file that messages go to; choose another one", output[i].flag, name);
      return NSM_USAGE;
    }
  }
  return NSM_OK;
}

nsm_code nsm_outputs_check_flags(const char *const *input, int ninput, const nsm_flags *f, const nsm_input *signal,
                                 int nsignal, nsm_error *e) {
  static const struct { nsm_flag_id flag; const char *name; } writes[] = {
    { NSM_FLAG_OUTPUT, "--output" }, { NSM_FLAG_RESIDUALS, "--residuals" }, { NSM_FLAG_FIT_PAGE, "--page" },
    { NSM_FLAG_FIT_WRITE, "--write" }
  };
  nsm_output output[sizeof writes / sizeof *writes];
  int n = 0;
  for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
    if (f->text[writes[i].flag]) output[n++] = (nsm_output){ writes[i].name, f->text[writes[i].flag] };
  nsm_code code = nsm_outputs_check(input, ninput, output, n, e);
  for (int i = 0; i < nsignal && code == NSM_OK; i++)
    if (signal[i].path) code = nsm_outputs_check(&signal[i].path, 1, output, n, e);
  for (int i = 0; i < f->nlist && code == NSM_OK; i++)
    if (f->list[i].flag == NSM_FLAG_DATA) code = nsm_outputs_check(&f->list[i].text, 1, output, n, e);
  return code;
}

// The folder and the name in it of a file that is there or to be; 0 where there is none.
static int folder_of(const char *path, struct stat *folder, char *name, size_t room) {
  char real[PATH_MAX];
  if (strcmp(path, "-") == 0 || (!realpath(path, real) && !path_to_be(path, real, 0))) return 0;
  char *slash = strrchr(real, '/');
  snprintf(name, room, "%s", slash + 1);
  slash[slash == real] = 0;
  return stat(real, folder) == 0;
}

static nsm_code in_folder(const nsm_output_folder *f, const char *path, nsm_error *e) {
  struct stat of, in;
  char name[NAME_MAX + 1];
  size_t n = strlen(f->begin), end = strlen(f->end), length;
  if (stat(f->path, &of) != 0 || !folder_of(path, &in, name, sizeof name)) return NSM_OK;
  length = strlen(name);
  if (of.st_dev != in.st_dev || of.st_ino != in.st_ino || strncmp(name, f->begin, n) != 0 || name[n] != '-' ||
      length < end || strcmp(name + length - end, f->end) != 0)
    return NSM_OK;
  sim_fail(e, NSM_USAGE, "%s %s would write to %s; choose another folder", f->flag, f->path, path);
  return NSM_USAGE;
}

nsm_code nsm_outputs_check_folder(const nsm_output_folder *folder, const char *const *input, int ninput,
                                  const nsm_output *output, int noutput, nsm_error *e) {
  nsm_code code = NSM_OK;
  for (int i = 0; i < ninput && code == NSM_OK; i++) code = in_folder(folder, input[i], e);
  for (int i = 0; i < noutput && code == NSM_OK; i++) code = in_folder(folder, output[i].path, e);
  return code;
}

// ---- one writer -----------------------------------------------------------------------------------------------------
// Is the file of another run? A lock that is got stays. File systems without locks have none: there all goes on as
// without.
static int is_taken(int fd, const char *path, nsm_error *e) {
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return 0;
  sim_fail(e, NSM_FILE, "cannot write to %s: another run is writing it; wait for its end, or choose another file",
           path);
  return 1;
}

int nsm_output_taken(const char *path, nsm_error *e) {
  struct stat st;
  int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  int taken = fd >= 0 && is_taken(fd, path, e);
  if (fd >= 0) close(fd);
  return taken;
}

// It is emptied only once it is one's own.
FILE *nsm_output_open(const char *path, int keep, nsm_error *e) {
  struct stat st;
  int fd = open(path, (keep ? O_RDWR : O_WRONLY) | O_CREAT | O_CLOEXEC, 0666);
  int ordinary = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
  if (ordinary && is_taken(fd, path, e)) {
    close(fd);
    return NULL;
  }
  FILE *file = fd < 0 || (ordinary && !keep && ftruncate(fd, 0) != 0) ? NULL : fdopen(fd, keep ? "r+" : "w");
  if (file) return file;
  sim_fail(e, NSM_FILE, "cannot write to %s: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  return NULL;
}

// ---- tables ---------------------------------------------------------------------------------------------------------
nsm_code nsm_outputs_check_table(const char *path, nsm_error *e) {
  static const char *const other[] = { "mat", "parquet", "json", "jsonl", "xlsx", "xls", "ods", "npy", "npz", "feather",
                                       "arrow", "pkl", "nc", "html", "svg", "png", "pdf", "tsv", "tab", "xml", "yaml",
                                       "gz", "zip", "bz2", "xz", "zst", "avro", "orc", "db", "sqlite", "zarr", "tdms",
                                       "mf4", "rds", "dta", "sav", "vtk", "vtu", "xdmf", "gif", "mp4" };
  const char *dot = path ? strrchr(path, '.') : NULL;
  for (size_t i = 0; dot && i < sizeof other / sizeof *other; i++) {
    if (strcasecmp(dot + 1, other[i]) != 0) continue;
    sim_fail(e, NSM_USAGE, "-o %s: columns are written as CSV (r.csv) or HDF5 (r.h5), and not as .%s%s", path, dot + 1,
             strcmp(other[i], "json") == 0 ? "; a summary is: --summary r.json"
             : strcmp(other[i], "html") == 0 ? "; a page is: nsm view -o r.html" : "");
    return NSM_USAGE;
  }
  return NSM_OK;
}

// ---- streams --------------------------------------------------------------------------------------------------------
void nsm_guard_streams(void) {
  signal(SIGXFSZ, SIG_IGN);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      _exit(NSM_FILE);                                     // no /dev/null: nothing can be said either
}
