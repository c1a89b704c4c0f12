/* gnuplot_run.c: gnuplots as processes: one a script, several at a time, each with a limit of processor time,
 * so that none can hang the report. They draw under temporary names. */
#include "figure_gnuplot.h"

#include "kifumill/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  PATH_BYTES = 4096,
  PROCESSES_MAX = 64,
  CPU_SECONDS = 60,
  NOT_INSTALLED = 127,
  SVG_BYTES_MAX = 1 << 28
};
#define SUFFIX ".tmp"
static const char *const kinds[] = {"svg", "png"};

typedef struct running {
  pid_t pid;
  size_t i;       /* of the script */
  FILE *messages; /* its standard error */
  km_tempfile *drawings[2];
} running;

/* The temporary name of a drawing of kind k. */
static const char *drawing(char path[PATH_BYTES], const char *folder, const char *id, size_t k) {
  snprintf(path, PATH_BYTES, "%s/%s.%s" SUFFIX, folder, id, kinds[k]);
  return path;
}

static void forget(running *r) {
  for (size_t k = 0; k < 2; k++)
    km_tempfile_forget(r->drawings[k]);
  fclose(r->messages);
}

/* In the child: never returns. */
static void become_gnuplot(const char *folder, const char *id, FILE *messages) {
  char script[300];
  struct rlimit limit = {CPU_SECONDS, CPU_SECONDS};
  snprintf(script, sizeof script, "%s.gp", id);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0 || chdir(folder) || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(fileno(messages), 2) < 0)
    _exit(NOT_INSTALLED);
  setrlimit(RLIMIT_CPU, &limit);
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* a report that is killed leaves no one writing */
  setenv("LC_ALL", "C.UTF-8", 1);
  execlp("gnuplot", "gnuplot", "-d", "-e", "suffix='" SUFFIX "'", script, (char *)NULL);
  _exit(NOT_INSTALLED);
}

static km_status start(const km_gnuplot_work *work, size_t i, running *r, km_err *err) {
  *r = (running){.i = i, .messages = tmpfile()};
  if (!r->messages)
    return km_err_set(err, KM_ERR_IO, errno, "cannot make a temporary file");
  for (size_t k = 0; k < 2; k++) {
    char path[PATH_BYTES];
    r->drawings[k] = km_tempfile_note(drawing(path, work->folder, work->ids[i], k));
  }
  fflush(NULL); /* nothing of ours may be written twice */
  if ((r->pid = fork()) == 0)
    become_gnuplot(work->folder, work->ids[i], r->messages);
  if (r->pid > 0)
    return KM_OK;
  km_status status = km_err_set(err, KM_ERR_IO, errno, "cannot start gnuplot");
  forget(r);
  return status;
}

/* The whole file, NUL-terminated; NULL when it is not there, empty, or too large. */
static char *read_file(const char *path, size_t *n_bytes) {
  FILE *in = fopen(path, "rbe");
  char *text = NULL;
  long size = 0;
  if (in && fseek(in, 0, SEEK_END) == 0 && (size = ftell(in)) > 0 && size < SVG_BYTES_MAX &&
      fseek(in, 0, SEEK_SET) == 0 && (text = malloc((size_t)size + 1))) {
    *n_bytes = fread(text, 1, (size_t)size, in);
    text[*n_bytes] = 0;
  }
  if (in)
    fclose(in);
  return text;
}

/* Takes out what stands between open and close, both included. */
static void cut_out(char *text, size_t *n_bytes, const char *open, const char *close) {
  char *from = strstr(text, open), *to = from ? strstr(from, close) : NULL;
  if (!to)
    return;
  to += strlen(close);
  memmove(from, to, *n_bytes - (size_t)(to - text) + 1);
  *n_bytes -= (size_t)(to - from);
}

/* The drawings of a script that succeeded, under their final names. */
static km_status keep_drawings(const char *folder, const char *id, int *complete, km_err *err) {
  char drawn[PATH_BYTES], path[PATH_BYTES];
  size_t n_bytes = 0;
  km_status status = KM_OK;
  drawing(drawn, folder, id, 0);
  snprintf(path, sizeof path, "%s/%s.svg", folder, id);
  char *text = read_file(drawn, &n_bytes);
  *complete = text != NULL;
  if (text) {
    cut_out(text, &n_bytes, "<title>Gnuplot</title>", "\n");
    cut_out(text, &n_bytes, "<desc>", "</desc>\n");
    unlink(drawn); /* the name is also that of km_outfile's temporary file */
    status = km_outfile_put(path, text, n_bytes, 1, err);
  }
  free(text);
  drawing(drawn, folder, id, 1);
  snprintf(path, sizeof path, "%s/%s.png", folder, id);
  if (status == KM_OK && *complete && rename(drawn, path))
    *complete = 0;
  return status;
}

static void drop_drawings(const char *folder, const char *id) {
  for (size_t k = 0; k < 2; k++) {
    char path[PATH_BYTES];
    unlink(drawing(path, folder, id, k));
  }
}

/* The first line that says something. */
static void first_message(FILE *messages, char why[200]) {
  char line[400];
  rewind(messages);
  while (fgets(line, sizeof line, messages)) {
    line[strcspn(line, "\r\n")] = 0;
    const char *text = line + strspn(line, " \t^");
    if (*text && !strchr(text, '^')) {
      snprintf(why, 200, "%.199s", text);
      return;
    }
  }
}

/* Waits for one of the running. */
static km_status finish_one(const km_gnuplot_work *work, running *all, size_t *n, size_t *n_drawn,
                            char why[200], km_err *err) {
  int how = 0, complete = 0;
  running r = all[0];
  memmove(all, all + 1, --*n * sizeof *all);
  while (waitpid(r.pid, &how, 0) < 0 && errno == EINTR)
    continue;
  const char *id = work->ids[r.i];
  int succeeded = WIFEXITED(how) && WEXITSTATUS(how) == 0;
  km_status status = succeeded ? keep_drawings(work->folder, id, &complete, err) : KM_OK;
  drop_drawings(work->folder, id);
  *n_drawn += (size_t)complete;
  if (!complete && !*why) {
    if (WIFEXITED(how) && WEXITSTATUS(how) == NOT_INSTALLED)
      snprintf(why, 200, "gnuplot cannot be started (install gnuplot-nox)");
    else
      first_message(r.messages, why);
    if (!*why)
      snprintf(why, 200, WIFSIGNALED(how) ? "gnuplot was stopped by a signal" : "gnuplot drew nothing");
  }
  forget(&r);
  return status;
}

km_status km_gnuplot_draw(const km_gnuplot_work *work, size_t *n_drawn, char why[200], km_err *err) {
  running all[PROCESSES_MAX];
  size_t n = 0, at_most = work->processes < 1               ? 1
                          : work->processes > PROCESSES_MAX ? PROCESSES_MAX
                                                            : (size_t)work->processes;
  km_status status = KM_OK, failed = KM_OK;
  *n_drawn = 0;
  *why = 0;
  for (size_t i = 0; i < work->n && status == KM_OK && !*why; i++) {
    if (n == at_most)
      status = finish_one(work, all, &n, n_drawn, why, err);
    if (status == KM_OK && !*why && (status = start(work, i, &all[n], err)) == KM_OK)
      n++;
  }
  while (n > 0) { /* children are waited for, whatever happened */
    km_err other;
    failed = finish_one(work, all, &n, n_drawn, why, status == KM_OK ? err : &other);
    status = status == KM_OK ? failed : status;
  }
  return status;
}

/* ---- cleaning ------------------------------------------------------------------------------------------ */

static int is_ours(const char *path) {
  char line[32] = "";
  FILE *in = fopen(path, "re");
  int ours = in && fgets(line, sizeof line, in) && strncmp(line, "# kifumill plot", 15) == 0;
  if (in)
    fclose(in);
  return ours;
}

void km_gnuplot_clean(const char *folder, const char *const *ids, size_t n) {
  static const char *const endings[] = {"gp", "tsv", "svg", "png"};
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char path[PATH_BYTES];
    size_t length = strlen(entry->d_name), i = 0;
    if (length < 4 || strcmp(entry->d_name + length - 3, ".gp") != 0)
      continue;
    length -= 3;
    while (i < n && (strlen(ids[i]) != length || memcmp(ids[i], entry->d_name, length) != 0))
      i++;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (i < n || !is_ours(path))
      continue;
    for (size_t k = 0; k < 4; k++) {
      snprintf(path, sizeof path, "%s/%.*s.%s", folder, (int)length, entry->d_name, endings[k]);
      unlink(path);
    }
  }
  if (dir)
    closedir(dir);
}
