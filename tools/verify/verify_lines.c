/* verify_lines.c: problems, collected and printed. */
#include "verify.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void verify_problem_add(void *ctx, const char *path, const char *problem) {
  verify_session *s = ctx;
  const verify_problem *last = s->n_problems ? &s->problems[s->n_problems - 1] : NULL;
  if (last && strcmp(last->path, path) == 0 && strcmp(last->text, problem) == 0)
    return; /* two checks came upon the same thing */
  if (s->n_problems == s->room) {
    size_t room = s->room ? 2 * s->room : 64;
    verify_problem *larger = realloc(s->problems, room * sizeof *larger);
    if (!larger) {
      s->no_memory = 1;
      return;
    }
    s->problems = larger;
    s->room = room;
  }
  verify_problem *p = &s->problems[s->n_problems];
  p->path = strdup(path);
  p->text = strdup(problem);
  if (p->path && p->text) {
    s->n_problems++;
    return;
  }
  free(p->path);
  free(p->text);
  s->no_memory = 1;
}

void verify_problem_addf(verify_session *session, const char *path, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  verify_problem_add(session, path, text);
}

int verify_has_problem(const verify_session *session, const char *path) {
  for (size_t i = 0; i < session->n_problems; i++)
    if (strcmp(session->problems[i].path, path) == 0)
      return 1;
  return 0;
}

/* Printable, whatever a damaged file put into the text. */
static void print_text(const char *text, size_t n) {
  for (size_t i = 0; i < n; i++)
    putchar((unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i]);
}

/* One line. A text that names the path again says "it" there. */
static void print_line(const char *path, const char *text) {
  const char *again = strstr(text, path);
  printf("%s: ", path);
  if (again && (again == text || again[-1] == ' ')) {
    print_text(text, (size_t)(again - text));
    fputs("it", stdout);
    text = again + strlen(path);
  }
  print_text(text, strlen(text));
  putchar('\n');
}

void verify_file_done(verify_session *session, const char *path) {
  size_t n_kept = 0, n_here = 0;
  struct stat info;
  session->n_files++;
  if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
    session->n_bytes += (uint64_t)info.st_size;
  for (size_t i = 0; i < session->n_problems; i++) {
    verify_problem p = session->problems[i];
    if (strcmp(p.path, path) != 0) {
      session->problems[n_kept++] = p;
      continue;
    }
    if (++n_here <= VERIFY_PROBLEMS_MAX)
      print_line(path, p.text);
    free(p.path);
    free(p.text);
  }
  session->n_problems = n_kept;
  if (n_here > VERIFY_PROBLEMS_MAX)
    printf("%s: and %zu more problems\n", path, n_here - VERIFY_PROBLEMS_MAX);
  session->n_bad += n_here > 0;
  if (!n_here && !session->options->quiet)
    print_line(path, "ok");
}

void verify_rest_done(verify_session *session) {
  while (session->n_problems) {
    char *path = strdup(session->problems[0].path); /* it is freed with its problem */
    if (!path) {
      session->no_memory = 1;
      return;
    }
    verify_file_done(session, path);
    free(path);
  }
}
