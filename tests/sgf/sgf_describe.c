/* sgf_describe.c: see sgf_describe.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sgf_describe.h"

static void add_text(FILE *out, const km_game *g, km_text_field field, const char *name) {
  if (g->text[field].bytes)
    fprintf(out, " %s \"%.*s\"", name, (int)g->text[field].n_bytes, g->text[field].bytes);
}

static void add_moves(FILE *out, const km_game *g) {
  char text[3];
  for (uint32_t i = 0; i < g->n_moves; i++) {
    km_point_sgf(g->moves[i].point, g->rows, g->cols, text);
    fprintf(out, " %c%s%s%s", ".BW"[g->moves[i].colour], text,
            g -> moves[i].point == KM_POINT_BAD ? "bad" : "", g->moves[i].flags & KM_MOVE_FORCED ? "!" : "");
  }
  for (uint32_t i = 0; i < g->n_setup; i++) {
    km_point_sgf(g->setup[i].point, g->rows, g->cols, text);
    fprintf(out, "%s%u:%c%s", i ? " " : " / ", g->setup[i].ply, ".BW"[g->setup[i].colour], text);
  }
}

static void add_facts(FILE *out, const km_game *g) {
  uint8_t usual = g->n_moves ? km_opponent(g->moves[g->n_moves - 1].colour) : KM_BLACK;
  if (g->final_to_play != usual)
    fprintf(out, " to play %c", ".BW"[g->final_to_play]);
  if (g->winner != KM_WINNER_UNKNOWN || g->ending != KM_ENDING_UNKNOWN) {
    fprintf(out, " = %s %s",
            g->winner == KM_WINNER_BLACK   ? "B"
            : g->winner == KM_WINNER_WHITE ? "W"
            : g->winner == KM_WINNER_DRAW  ? "draw"
                                           : "?",
            km_ending_name(g->ending));
    if (!isnan(g->margin))
      fprintf(out, " %g", (double)g->margin);
  }
  if (!isnan(g->komi))
    fprintf(out, " komi %g", (double)g->komi);
  if (g->handicap)
    fprintf(out, " HA %u", g->handicap);
  for (uint32_t i = 0; i < g->n_evals; i++)
    fprintf(out, " eval %u:%.4g", g->evals[i].ply, (double)g->evals[i].black_win);
  add_text(out, g, KM_TEXT_BLACK, "PB");
  add_text(out, g, KM_TEXT_WHITE, "PW");
  add_text(out, g, KM_TEXT_EVENT, "EV");
  const km_text *encoding = &g->text[KM_TEXT_ENCODING];
  if (encoding->n_bytes != 8 || memcmp(encoding->bytes, "US-ASCII", 8) != 0)
    fprintf(out, " in %.*s", (int)encoding->n_bytes, encoding->bytes);
}

static void add_findings(FILE *out, const km_finding *findings, size_t n) {
  for (size_t i = 0; i < n; i++)
    fprintf(out, " !%s@%llu", km_reason_code(findings[i].reason), (unsigned long long)findings[i].pos);
}

static void add_record(FILE *out, const km_sgf_record *record) {
  const km_game *g = &record->game;
  fprintf(out, "#%u %ux%u:", record->number, g->cols, g->rows);
  add_moves(out, g);
  if (record->n_before_end != g->n_moves)
    fprintf(out, " end %u", record->n_before_end);
  if (record->refused != KM_REASON_NONE && record->refused != KM_REASON_NO_MOVES)
    fprintf(out, " refused");
  else
    add_facts(out, g);
  add_findings(out, record->findings, record->n_findings);
  fprintf(out, "\n");
}

char *sgf_describe(const char *bytes, size_t n_bytes, const km_sgf_options *options) {
  char *text = NULL;
  size_t n_text, n_input;
  FILE *out = open_memstream(&text, &n_text);
  assert_non_null(out);
  km_arena arena;
  km_sgf_reader *reader;
  km_sgf_record record;
  km_err err = {0};
  km_arena_init(&arena);
  assert_int_equal(km_sgf_open(&reader, bytes, n_bytes, options, &arena, &err), KM_OK);
  km_status status;
  while ((status = km_sgf_next(reader, &record, &err)) == KM_OK)
    add_record(out, &record);
  assert_int_equal(status, KM_END);
  const km_finding *findings = km_sgf_input_findings(reader, &n_input);
  if (n_input) {
    fprintf(out, "input");
    add_findings(out, findings, n_input);
    fprintf(out, "\n");
  }
  km_arena_clear(&arena);
  assert_int_equal(fclose(out), 0);
  return text;
}

char *sgf_read_file(const char *path, size_t *n_bytes) {
  FILE *file = fopen(path, "rb");
  if (!file)
    fail_msg("%s: cannot be opened", path);
  size_t room = 1 << 16, n = 0;
  char *bytes = malloc(room);
  assert_non_null(bytes);
  for (size_t got; (got = fread(bytes + n, 1, room - n, file)) > 0;) {
    n += got;
    if (n == room) {
      bytes = realloc(bytes, room *= 2);
      assert_non_null(bytes);
    }
  }
  fclose(file);
  *n_bytes = n;
  return bytes;
}
