/* test_ingest_cases.c: every case of an expectation file as a run of the whole stage: input → games.h5 and ledger.
 *
 * A case begins with `case INPUT [OPTION…]`; the lines under it are all that the run is to leave behind, in order:
 *
 *     game SIZE | setup… | moves… | PROPERTY=text -> value | …     a game of games.h5; what the record does not say is left out
 *     < BYTES                                                      the input itself, where INPUT is in.sgf (below)
 *     KIND CODE [entry NAME] [game N] @BYTE[: DETAIL]              a line of the ledger
 *     end N records, N games, strict exit N                        or: end failed: MESSAGE
 *
 * Lines of an input given in place are joined as they are; \n \r \t \0 \xNN \\ stand for bytes.
 * Nothing else may be there, so that an outcome is exact. Lines that begin with # and empty ones are comments. The
 * expectations are written by hand from the cases' own descriptions. */
#include "ingest_stage.h"

#include "kifumill/games_store.h"
#include "kifumill/reason.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { GAMES_SHOWN = 24, MOVES_SHOWN = 40, WORDS_MAX = 32 };

static const char *const expectations[] = {"tests/ingest_cases/cases.expect", "tests/ingest_cases/containers.expect",
                                           "tests/ingest_cases/made.expect", "tests/ingest_cases/variants.expect"};

static char folder[] = "/tmp/km-cases-XXXXXX";

/* ---- what a run leaves behind, as text -------------------------------------------------------------------------- */

static void show_point(FILE *out, const km_game *game, uint8_t colour, uint16_t point) {
  char text[3];
  km_point_sgf(point, game->rows, game->cols, text);
  fprintf(out, " %c %s", "EBW"[colour], point == km_game_pass(game) ? "pass" : text);
}

static void show_setup(FILE *out, const km_game *game) {
  if (game->n_setup)
    fputs(" | setup", out);
  for (uint32_t i = 0; i < game->n_setup; i++) {
    show_point(out, game, game->setup[i].colour, game->setup[i].point);
    if (game->setup[i].ply)
      fprintf(out, "@%u", game->setup[i].ply);
  }
}

static void show_moves(FILE *out, const km_game *game) {
  uint32_t n = game->n_moves, hidden = n > MOVES_SHOWN ? n - 4 : 0;
  fputs(" |", out);
  if (hidden)
    fprintf(out, " %u moves", n);
  for (uint32_t i = 0; i < n; i++) {
    if (hidden && i == 2) {
      fputs(" ...", out);
      i += hidden;
    }
    show_point(out, game, game->moves[i].colour, game->moves[i].point);
    if (game->moves[i].flags & KM_MOVE_FORCED)
      fputc('!', out);
  }
  if (n && game->final_to_play != km_opponent(game->moves[n - 1].colour))
    fprintf(out, " then %c", "EBW"[game->final_to_play]);
}

static void show_evals(FILE *out, const km_game *game) {
  for (uint32_t i = 0; i < game->n_evals; i++) {
    const km_eval *e = &game->evals[i];
    fprintf(out, " | after %u Black %.3f", e->ply, (double)e->black_win);
    if (!isnan(e->black_score))
      fprintf(out, " %+.1f points", (double)e->black_score);
    if (e->visits)
      fprintf(out, " %u visits", e->visits);
  }
}

static void show_rank(FILE *out, km_rank rank) {
  if (rank.kind)
    fprintf(out, "%d%c", rank.number, rank.kind);
  else
    fputc('?', out);
}

static void show_date(FILE *out, km_date date) {
  if (date.precision == 0)
    fputc('?', out);
  else
    fprintf(out, "%04d", date.year);
  if (date.precision > 1)
    fprintf(out, "-%02u", date.month);
  if (date.precision > 2)
    fprintf(out, "-%02u", date.day);
}

static void show_result(FILE *out, const km_game *game) {
  const char *winner = game->winner == KM_WINNER_BLACK   ? "B"
                       : game->winner == KM_WINNER_WHITE ? "W"
                       : game->winner == KM_WINNER_DRAW  ? "draw"
                                                         : "?";
  fprintf(out, "%s/%s", winner, game->ending == KM_ENDING_UNKNOWN ? "?" : km_ending_name(game->ending));
  if (!isnan(game->margin))
    fprintf(out, "/%g", (double)game->margin);
}

/* What a text became. */
static void show_value(FILE *out, const km_game *game, km_text_field field) {
  fputs(" -> ", out);
  switch (field) {
  case KM_TEXT_RESULT:
    show_result(out, game);
    break;
  case KM_TEXT_KOMI:
    if (isnan(game->komi))
      fputc('?', out);
    else
      fprintf(out, "%g", (double)game->komi);
    break;
  case KM_TEXT_HANDICAP:
    fprintf(out, "%u", game->handicap);
    break;
  case KM_TEXT_BLACK_RANK:
    show_rank(out, game->black_rank);
    break;
  case KM_TEXT_WHITE_RANK:
    show_rank(out, game->white_rank);
    break;
  case KM_TEXT_DATE:
    show_date(out, game->date);
    break;
  default:
    fputs(km_rules_name((km_rules)game->rules), out);
  }
}

static void show_texts(FILE *out, const km_game *game) {
  static const struct {
    km_text_field field;
    const char *name;
    int has_value;
  } shown[] = {{KM_TEXT_BLACK, "PB", 0},       {KM_TEXT_BLACK_RANK, "BR", 1}, {KM_TEXT_WHITE, "PW", 0},
               {KM_TEXT_WHITE_RANK, "WR", 1},  {KM_TEXT_DATE, "DT", 1},       {KM_TEXT_EVENT, "EV", 0},
               {KM_TEXT_RULES, "RU", 1},       {KM_TEXT_RESULT, "RE", 1},     {KM_TEXT_KOMI, "KM", 1},
               {KM_TEXT_HANDICAP, "HA", 1}};
  km_text encoding = game->text[KM_TEXT_ENCODING];
  for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
    km_text text = game->text[shown[i].field];
    if (!text.n_bytes)
      continue;
    fprintf(out, " | %s=%.*s", shown[i].name, (int)text.n_bytes, text.bytes);
    if (shown[i].has_value)
      show_value(out, game, shown[i].field);
  }
  if (encoding.n_bytes != 8 || memcmp(encoding.bytes, "US-ASCII", 8) != 0)
    fprintf(out, " | in %.*s", (int)encoding.n_bytes, encoding.bytes);
}

static void show_game(FILE *out, const km_game *game) {
  fprintf(out, "game %ux%u", game->cols, game->rows);
  km_text entry = game->text[KM_TEXT_ENTRY];
  if (entry.n_bytes)
    fprintf(out, " | entry %.*s", (int)entry.n_bytes, entry.bytes);
  show_setup(out, game);
  show_moves(out, game);
  show_texts(out, game);
  show_evals(out, game);
  fputc('\n', out);
}

/* Returns the flags of all games together. */
static uint32_t show_games(FILE *out, const char *path) {
  km_games *games;
  km_err err = {0};
  if (km_games_open(&games, path, &err) != KM_OK)
    fail_msg("%s", err.msg);
  km_arena arena;
  km_arena_init(&arena);
  uint32_t flags = 0;
  uint64_t n = km_games_count(games);
  for (uint64_t i = 0; i < n; i++) {
    km_game game;
    assert_int_equal(km_games_game(games, i, &arena, &game, &err), KM_OK);
    flags |= game.flags;
    if (i < GAMES_SHOWN)
      show_game(out, &game);
    km_arena_reset(&arena);
  }
  if (n > GAMES_SHOWN)
    fprintf(out, "and %llu games more\n", (unsigned long long)n - GAMES_SHOWN);
  km_arena_clear(&arena);
  km_games_close(games);
  return flags;
}

static unsigned flag_of(const char *code) {
  for (int r = 1; r < KM_REASON_COUNT; r++)
    if (strcmp(km_reason_code((km_reason)r), code) == 0)
      return km_reason_flag((km_reason)r);
  fail_msg("the ledger has a code of its own: %s", code);
  return 0;
}

/* One line of the ledger. Returns the flag bit of its code. */
static unsigned show_line(FILE *out, char *line) {
  char *field[7];
  for (int i = 0; i < 7; i++) {
    field[i] = strsep(&line, "\t");
    assert_non_null(field[i]);
  }
  assert_null(line);
  fprintf(out, "%s %s", field[0], field[1]);
  if (*field[3])
    fprintf(out, " entry %s", field[3]);
  if (strcmp(field[4], "0") != 0)
    fprintf(out, " game %s", field[4]);
  fprintf(out, " @%s%s%s\n", field[5], *field[6] ? ": " : "", field[6]);
  return flag_of(field[1]);
}

static unsigned show_ledger(FILE *out, const char *path) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char *line = NULL;
  size_t room = 0;
  unsigned flags = 0;
  for (unsigned n = 0; getline(&line, &room, file) > 0; n++) {
    line[strcspn(line, "\n")] = 0;
    if (n == 0)
      assert_string_equal(line, "kind\tcode\tsource\tentry\tgame\tbyte\tdetail");
    else
      flags |= show_line(out, line);
  }
  free(line);
  fclose(file);
  return flags;
}

/* ---- a case ----------------------------------------------------------------------------------------------------- */

typedef struct test_case {
  char *argv[WORDS_MAX]; /* "case", the options, the input */
  int argc;
  char *expected; /* lines, comments left out */
  char *input;    /* bytes given in place */
  size_t n_input;
  unsigned line;
} test_case;

/* The bytes that a line of input stands for. */
static void put_input(FILE *out, const char *line) {
  for (const char *p = line; *p && *p != '\n'; p++) {
    if (*p != '\\') {
      fputc(*p, out);
      continue;
    }
    static const char letters[] = "nrt0\\", bytes[] = "\n\r\t\0\\";
    const char *letter = strchr(letters, *++p);
    if (*p == 'x') {
      fputc((int)strtol((char[]){p[1], p[2], 0}, NULL, 16), out);
      p += 2;
    } else {
      assert_non_null(letter);
      fputc(bytes[letter - letters], out);
    }
  }
}

static void write_input(const test_case *c) {
  char path[64];
  snprintf(path, sizeof path, "%s/in.sgf", folder);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(c->input, 1, c->n_input, file), c->n_input);
  assert_int_equal(fclose(file), 0);
}

/* Runs the stage as kifu-ingest would; the account of what it left. */
static char *run_case(test_case *c, unsigned threads, uint64_t *n_records) {
  char output[64], ledger[64], given[64], *text = NULL;
  const char *inputs[WORDS_MAX];
  size_t n_bytes;
  km_option_table tables[] = {{km_common_rows, km_n_common_rows}, {km_ingest_stage.rows, km_ingest_stage.n_rows}};
  km_ingest_options options;
  km_stage_outcome outcome = {0};
  km_err err = {0};
  snprintf(output, sizeof output, "%s/games.h5", folder);
  snprintf(ledger, sizeof ledger, "%s/games.ledger.tsv", folder);
  snprintf(given, sizeof given, "%s/in.sgf", folder);
  km_ingest_stage.defaults(&options);
  options.run.output = output;
  options.run.force = 1;
  options.run.threads = (int)threads;
  FILE *out = open_memstream(&text, &n_bytes);
  assert_non_null(out);
  km_status status = km_options_parse(tables, 2, &options, c->argc, c->argv, inputs, &options.run.n_inputs, &err);
  if (strcmp(inputs[0], "in.sgf") == 0) {
    write_input(c);
    inputs[0] = given;
  }
  options.run.inputs = inputs;
  options.run.messages = NULL;
  options.run.command = "kifu-ingest";
  options.run.config_text = "";
  if (status == KM_OK)
    status = km_ingest_run(&options, &outcome, &err);
  *n_records = outcome.n_records;
  if (status != KM_OK) {
    fprintf(out, "end failed: %s\n", err.msg);
  } else {
    uint32_t flags = show_games(out, output);
    /* every warning of a kept game is a flag of it; refused games may have had others */
    assert_int_equal(flags & ~show_ledger(out, ledger), 0);
    fprintf(out, "end %llu records, %llu games, strict exit %d\n", (unsigned long long)outcome.n_records,
            (unsigned long long)outcome.n_games, outcome.n_refused ? 3 : 0);
  }
  fclose(out);
  return text;
}

typedef struct expectation_file {
  FILE *file;
  char *line; /* of getline */
  size_t room;
  unsigned number;
} expectation_file;

/* The next case of the file into *c; 0 when there is none. */
static int next_case(expectation_file *from, test_case *c) {
  static const char marker[] = "case ";
  size_t n_bytes;
  FILE *out = NULL, *input = NULL;
  int found = 0;
  *c = (test_case){.expected = NULL};
  for (long at = ftell(from->file); getline(&from->line, &from->room, from->file) > 0; at = ftell(from->file)) {
    int is_case = strncmp(from->line, marker, sizeof marker - 1) == 0;
    if (is_case && found) {
      fseek(from->file, at, SEEK_SET);
      break;
    }
    from->number++;
    if (is_case) {
      found = 1;
      c->line = from->number;
      for (char *word = strtok(from->line, " \n"); word && c->argc < WORDS_MAX - 1; word = strtok(NULL, " \n"))
        c->argv[c->argc++] = strdup(word);
      assert_non_null(out = open_memstream(&c->expected, &n_bytes));
      assert_non_null(input = open_memstream(&c->input, &c->n_input));
    } else if (strncmp(from->line, "< ", 2) == 0 && input) {
      put_input(input, from->line + 2);
    } else if (*from->line != '#' && *from->line != '\n' && out) {
      fputs(from->line, out);
    }
  }
  if (out)
    fclose(out);
  if (input)
    fclose(input);
  return found;
}

static void forget_case(test_case *c) {
  for (int i = 0; i < c->argc; i++)
    free(c->argv[i]);
  free(c->expected);
  free(c->input);
}

static void check_file(const char *path, uint64_t *n_records) {
  expectation_file from = {.file = fopen(path, "r")};
  assert_non_null(from.file);
  unsigned n_wrong = 0;
  test_case c;
  while (next_case(&from, &c)) {
    uint64_t n = 0;
    char *actual = run_case(&c, 1, &n);
    if (strcmp(actual, c.expected) != 0) {
      fprintf(stderr, "%s:%u: case %s: expected\n%sbut there is\n%s\n", path, c.line, c.argv[1], c.expected, actual);
      n_wrong++;
    }
    *n_records += n;
    free(actual);
    forget_case(&c);
  }
  free(from.line);
  fclose(from.file);
  assert_int_equal(n_wrong, 0);
}

static void test_cases(void **state) {
  uint64_t n_records = 0;
  check_file(*state, &n_records);
  assert_true(n_records > 0);
}

/* ---- all of them at once ---------------------------------------------------------------------------------------- */

static char *run_folder(unsigned threads, uint64_t *n_records) {
  static char *words[] = {"case", "--dedup", "off", "tests/cases/inputs", NULL};
  test_case c = {.argc = 4};
  memcpy(c.argv, words, sizeof words);
  return run_case(&c, threads, n_records);
}

/* The whole folder as one input, at any number of threads: no file takes a game of another with it. */
static void test_cases_side_by_side(void **state) {
  (void)state;
  uint64_t n_one, n_two;
  char *one = run_folder(1, &n_one), *two = run_folder(2, &n_two);
  assert_string_equal(one, two);
  assert_non_null(strstr(one, "end "));
  assert_int_equal(n_one, n_two);
  assert_int_equal(n_one, 105 + 19 + 195); /* of the cases P, R and D; T; C */
  free(one);
  free(two);
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}
static int remove_folder(void **state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_cases, (void *)(uintptr_t)expectations[0]),
      cmocka_unit_test_prestate(test_cases, (void *)(uintptr_t)expectations[1]),
      cmocka_unit_test_prestate(test_cases, (void *)(uintptr_t)expectations[2]),
      cmocka_unit_test_prestate(test_cases, (void *)(uintptr_t)expectations[3]),
      cmocka_unit_test(test_cases_side_by_side),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
