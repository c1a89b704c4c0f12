/* fuzz_driver.c: main for a fuzz target without libFuzzer: runs it once on every file of the folders (not of
 * theirs) and on every file that is named. Fails when it finds no file, so that a corpus cannot go missing
 * unnoticed. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path, size_t n_bytes) {
  FILE *file = fopen(path, "rb");
  uint8_t *data = malloc(n_bytes ? n_bytes : 1); /* exactly as large, so that a read beyond it is seen */
  int ok = file && data && fread(data, 1, n_bytes, file) == n_bytes;
  if (ok)
    LLVMFuzzerTestOneInput(data, n_bytes);
  else
    fprintf(stderr, "%s: cannot be read\n", path);
  free(data);
  if (file)
    fclose(file);
  return ok;
}

/* Files run, or -1. */
static int run_path(const char *path, int depth) {
  struct stat status;
  if (stat(path, &status) != 0) {
    perror(path);
    return -1;
  }
  if (S_ISREG(status.st_mode))
    return run_file(path, (size_t)status.st_size) ? 1 : -1;
  DIR *folder = S_ISDIR(status.st_mode) && depth == 0 ? opendir(path) : NULL;
  int n_files = 0;
  for (struct dirent *entry; folder && n_files >= 0 && (entry = readdir(folder));) {
    char inner[4096];
    if (entry->d_name[0] == '.')
      continue;
    snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
    int n = run_path(inner, depth + 1);
    n_files = n < 0 ? -1 : n_files + n;
  }
  if (folder)
    closedir(folder);
  return n_files;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    int n_files = run_path(argv[i], 0);
    if (n_files <= 0) {
      fprintf(stderr, "%s: no corpus\n", argv[i]);
      return 1;
    }
    printf("%s: %d files\n", argv[i], n_files);
  }
  return argc < 2;
}
