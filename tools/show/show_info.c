/* show_info.c: `kifu-show info`: tells stores, manifests and records apart by what they begin with. */
#include "show_game_info.h"

#include "kifumill/manifest.h"

#include <string.h>
#include <sys/stat.h>

void show_plain(const char *bytes, size_t n, FILE *out) {
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)bytes[i];
    if (c == '\n')
      fputs("\\n", out);
    else if (c == '\t')
      fputs("\\t", out);
    else if (c < 0x20 || c == 0x7f)
      fprintf(out, "\\x%02x", c);
    else
      fputc(c, out);
  }
}

/* A folder that has a manifest, or the manifest itself. */
static int is_manifest(const char *path) {
  char name[4096];
  struct stat info;
  if (stat(path, &info) != 0)
    return 0;
  if (S_ISDIR(info.st_mode))
    return snprintf(name, sizeof name, "%s/%s", path, KM_MANIFEST_NAME) < (int)sizeof name &&
           stat(name, &info) == 0;
  size_t n = strlen(path), k = strlen(".json");
  return n > k && strcmp(path + n - k, ".json") == 0;
}

km_status show_info(show_session *session, km_err *err) {
  const show_options *options = session->options;
  if (is_manifest(options->input))
    return show_manifest_info(session, err);
  if (show_is_hdf5(options->input) && !options->has_game)
    return show_store_info(session, err);
  return show_with_record(session, show_game_info, err);
}
