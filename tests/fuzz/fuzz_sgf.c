/* fuzz_sgf.c: fuzz target of the SGF reader. Of any input: reading ends; every point is on the board, a pass
 * or one of the two constants; everything stands in the order and within the bounds that the headers promise;
 * texts are UTF-8. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kifumill/sgf.h"

/* Holds in release builds too. */
#define check(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition))                                                                                        \
      abort();                                                                                               \
  } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_findings(const km_finding *findings, size_t n, size_t size, int sorted) {
  check(n <= KM_SGF_FINDINGS_MAX + 2);
  for (size_t i = 0; i < n; i++) {
    check(findings[i].reason > KM_REASON_NONE && findings[i].reason < KM_REASON_COUNT);
    check(findings[i].pos <= size);
    check(!sorted || i == 0 || findings[i - 1].pos <= findings[i].pos);
    check(!findings[i].detail || km_text_is_utf8(findings[i].detail, strlen(findings[i].detail)));
  }
}

static void check_moves(const km_sgf_record *record, size_t size) {
  const km_game *g = &record->game;
  uint16_t pass = km_game_pass(g);
  uint64_t last = 0;
  for (uint32_t i = 0; i < g->n_moves; i++) {
    const km_move *m = &g->moves[i];
    check(m->point <= pass || m->point == KM_POINT_OFFBOARD || m->point == KM_POINT_BAD);
    check(m->colour == KM_BLACK || m->colour == KM_WHITE);
    check(i == 0 || record->move_pos[i - 1] < record->move_pos[i]);
  }
  if (g->n_moves) {
    last = km_sgf_move_position(record, g->n_moves - 1);
    check(last >= record->begin && last < record->end && last < size);
  }
  check(record->n_before_end <= g->n_moves);
}

static void check_rest(const km_game *g) {
  uint32_t ply = 0;
  for (uint32_t i = 0; i < g->n_setup; i++) {
    check(g->setup[i].ply >= ply && g->setup[i].ply <= g->n_moves);
    check(g->setup[i].point < km_game_pass(g) && g->setup[i].colour <= KM_WHITE);
    ply = g->setup[i].ply;
  }
  ply = 0;
  for (uint32_t i = 0; i < g->n_evals; i++) {
    check(g->evals[i].ply >= ply && g->evals[i].ply <= g->n_moves);
    check(isnan(g->evals[i].black_win) || (g->evals[i].black_win >= 0 && g->evals[i].black_win <= 1));
    ply = g->evals[i].ply;
  }
}

static void check_record(const km_sgf_record *record, uint64_t *end, uint32_t number, size_t size) {
  const km_game *g = &record->game;
  check(record->number == number);
  check(record->begin >= *end && record->begin < record->end && record->end <= size);
  *end = record->end;
  check_findings(record->findings, record->n_findings, size, 1);
  for (int i = 0; i < KM_TEXT_COUNT; i++) {
    check(!g->text[i].n_bytes || g->text[i].bytes);
    check(g->text[i].n_bytes <= KM_SGF_TEXT_MAX);
    if (g->text[i].n_bytes) {
      check(km_text_is_utf8(g->text[i].bytes, g->text[i].n_bytes));
      check(!memchr(g->text[i].bytes, 0, g->text[i].n_bytes));
    }
  }
  check(g->text[KM_TEXT_ENCODING].n_bytes > 0);
  check(g->rows >= 1 && g->rows <= KM_BOARD_MAX && g->cols >= 1 && g->cols <= KM_BOARD_MAX);
  if (record->refused == KM_REASON_NONE || record->refused == KM_REASON_NO_MOVES) {
    check((record->refused == KM_REASON_NO_MOVES) == (g->n_moves == 0));
    check(g->final_to_play == KM_BLACK || g->final_to_play == KM_WHITE);
    check_moves(record, size);
    check_rest(g);
  }
}

static km_text_decoder *decoder; /* opening converters takes longer than reading */

/* Reads all; the number of records. */
static uint32_t read_all(const uint8_t *data, size_t size, int own_arena) {
  km_arena arena, records;
  km_arena_init(&arena);
  km_arena_init(&records);
  const km_sgf_options options = {
      .max_moves = 500, .decoder = decoder, .records = own_arena ? &records : NULL};
  km_sgf_reader *reader;
  km_sgf_record record;
  km_err err;
  uint64_t end = 0;
  uint32_t n_records = 0;
  check(km_sgf_open(&reader, data, size, &options, &arena, &err) == KM_OK);
  km_status status;
  while ((status = km_sgf_next(reader, &record, &err)) == KM_OK) {
    check_record(&record, &end, ++n_records, size);
    km_arena_reset(&records);
  }
  check(status == KM_END && km_sgf_next(reader, &record, &err) == KM_END);
  size_t n_findings;
  const km_finding *findings = km_sgf_input_findings(reader, &n_findings);
  check_findings(findings, n_findings, size, 0);
  check(n_records > 0 || n_findings == 1);
  km_arena_clear(&arena);
  km_arena_clear(&records);
  return n_records;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!decoder)
    check((decoder = km_text_decoder_new()));
  check(read_all(data, size, 0) == read_all(data, size, 1));
  return 0;
}
