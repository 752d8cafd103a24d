// libnsm_zip.so: archives by libzip.
#include "../archive.h"
#include <stdio.h>
#include <string.h>
#include <zip.h>

extern const ZipPlugin nsm_zip_plugin;

static int add(zip_t *z, const ZipEntry *e) {
  zip_source_t *from = zip_source_buffer(z, e->bytes, e->n, 0);
  if (!from) return 0;
  zip_int64_t at = zip_file_add(z, e->name, from, ZIP_FL_ENC_UTF_8);
  if (at < 0) { zip_source_free(from); return 0; }
  zip_uint64_t i = (zip_uint64_t)at;
  return zip_set_file_compression(z, i, ZIP_CM_DEFLATE, 9) == 0 && zip_file_set_dostime(z, i, 0, 0x21, 0) == 0 &&
         zip_file_set_external_attributes(z, i, 0, ZIP_OPSYS_UNIX, 0100755u << 16) == 0;
}

static int write_all(const char *path, const ZipEntry *entry, int n, char *why, size_t room) {
  int code = 0, good = 1;
  zip_t *z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!z) {
    zip_error_t e;
    zip_error_init_with_code(&e, code);
    snprintf(why, room, "%s", zip_error_strerror(&e));
    zip_error_fini(&e);
    return 0;
  }
  for (int i = 0; i < n && good; i++) good = add(z, &entry[i]);
  if (good && zip_close(z) == 0) return 1;
  snprintf(why, room, "%s", zip_strerror(z));
  zip_discard(z);
  return 0;
}

const ZipPlugin nsm_zip_plugin = { ZIP_VERSION, write_all };
