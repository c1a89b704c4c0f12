/* store_fixture.c: see store_fixture.h. */
#include "store_fixture.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

km_err test_err;
const km_store_origin test_origin = {.command = "kifu-test --seed 7 Ä",
                                     .config = "seed: 7\n",
                                     .seed = 7,
                                     .input_digest = "00112233445566778899aabbccddeeff"};

static char folder[256];

const char *scratch(void) {
  if (!folder[0]) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/kifumill-test-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(folder));
  }
  return folder;
}

const char *scratch_path(char *text, const char *name) {
  snprintf(text, 512, "%s/%s", scratch(), name);
  return text;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
  (void)st, (void)flag, (void)ftw;
  return remove(path);
}

void scratch_remove(void) {
  if (folder[0])
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  folder[0] = 0;
}

void assert_ok_at(km_status status, const km_err *err, const char *file, int line) {
  if (status) {
    print_error("%s\n", err->msg);
    _assert_int_equal(status, KM_OK, file, line);
  }
}

uint64_t test_next(test_random *r) {
  return km_mix64(r->state++);
}
uint64_t test_below(test_random *r, uint64_t n) {
  return km_random_below(test_next(r), n);
}

static km_text random_text(km_arena *arena, test_random *r, km_text_field field) {
  char text[80];
  unsigned choice = (unsigned)test_below(r, 8);
  if (choice == 0)
    return (km_text){NULL, 0};
  if (choice == 1)
    return (km_text){"", 0};
  int n = snprintf(text, sizeof text, "%d-%s-%u", (int)field, choice == 2 ? "井山裕太" : "name",
                   (unsigned)test_below(r, choice == 3 ? 100000 : 5));
  return (km_text){km_arena_strndup(arena, text, (size_t)n), (uint32_t)n};
}

static void random_scalars(km_game *g, test_random *r) {
  *g = (km_game){
      .rows = (uint8_t)(1 + test_below(r, 19)),
      .cols = (uint8_t)(1 + test_below(r, 19)),
      .handicap = (uint8_t)test_below(r, 10),
      .ending = (uint8_t)test_below(r, 8),
      .rules = (uint8_t)test_below(r, 9),
      .final_to_play = (uint8_t)(1 + test_below(r, 2)),
      .winner = (int8_t)(test_below(r, 4) == 0 ? KM_WINNER_UNKNOWN : (int)test_below(r, 3) - 1),
      .margin = test_below(r, 2) ? NAN : (float)test_below(r, 100) / 2,
      .komi = test_below(r, 3) ? 6.5f : NAN,
      .black_rank = {(int8_t)test_below(r, 10), 'd'},
      .white_rank = {(int8_t)test_below(r, 30), 'k'},
      .date = {(int16_t)(1700 + test_below(r, 400)), (uint8_t)test_below(r, 13), (uint8_t)test_below(r, 32),
               (uint8_t)test_below(r, 4)},
      .flags = (uint32_t)test_next(r),
      .n_moves = (uint32_t)test_below(r, 300),
      .n_setup = test_below(r, 3) ? 0 : (uint32_t)test_below(r, 9),
      .n_evals = test_below(r, 3) ? 0 : (uint32_t)test_below(r, 20),
  };
}

void random_game(km_game *g, km_arena *arena, test_random *r) {
  random_scalars(g, r);
  g->moves = km_arena_zalloc(arena, g->n_moves * sizeof *g->moves);
  g->setup = km_arena_zalloc(arena, g->n_setup * sizeof *g->setup);
  g->evals = km_arena_zalloc(arena, g->n_evals * sizeof *g->evals);
  assert_true(g->moves && g->setup && g->evals);
  for (uint32_t i = 0; i < g->n_moves; i++)
    g->moves[i] = (km_move){(uint16_t)test_below(r, km_game_pass(g) + 1u), (uint8_t)(1 + test_below(r, 2)),
                            (uint8_t)(test_below(r, 50) == 0)};
  uint32_t ply = 0;
  for (uint32_t i = 0; i < g->n_setup; i++) {
    ply += (uint32_t)(ply < g->n_moves ? test_below(r, 2) : 0);
    g->setup[i] = (km_setup){ply, (uint16_t)test_below(r, km_game_pass(g)), (uint8_t)test_below(r, 3)};
  }
  for (uint32_t i = 0; i < g->n_evals; i++)
    g->evals[i] =
        (km_eval){(uint32_t)test_below(r, g->n_moves + 1u), (float)test_below(r, 100) / 100,
                  test_below(r, 2) ? NAN : 1.5f, (uint32_t)test_below(r, 900), (uint8_t)test_below(r, 5)};
  for (int k = 0; k < KM_TEXT_COUNT; k++)
    g->text[k] = random_text(arena, r, (km_text_field)k);
}

km_game_keys random_keys(test_random *r) {
  return (km_game_keys){{test_next(r), test_next(r)}, {test_next(r), test_next(r)}};
}

static void assert_same_float(float a, float b) {
  assert_memory_equal(&a, &b, sizeof a);
}

void assert_same_game(const km_game *a, const km_game *b) {
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->cols, b->cols);
  assert_int_equal(a->handicap, b->handicap);
  assert_int_equal(a->ending, b->ending);
  assert_int_equal(a->rules, b->rules);
  assert_int_equal(a->final_to_play, b->final_to_play);
  assert_int_equal(a->winner, b->winner);
  assert_same_float(a->margin, b->margin);
  assert_same_float(a->komi, b->komi);
  assert_int_equal(a->black_rank.number, b->black_rank.number);
  assert_int_equal(a->black_rank.kind, b->black_rank.kind);
  assert_int_equal(a->white_rank.number, b->white_rank.number);
  assert_int_equal(a->white_rank.kind, b->white_rank.kind);
  assert_int_equal(a->date.year, b->date.year);
  assert_int_equal(a->date.month, b->date.month);
  assert_int_equal(a->date.day, b->date.day);
  assert_int_equal(a->date.precision, b->date.precision);
  assert_int_equal(a->flags, b->flags);
  assert_int_equal(a->n_moves, b->n_moves);
  assert_int_equal(a->n_setup, b->n_setup);
  assert_int_equal(a->n_evals, b->n_evals);
  assert_memory_equal(a->moves, b->moves, a->n_moves * sizeof *a->moves);
  for (uint32_t i = 0; i < a->n_setup; i++) {
    assert_int_equal(a->setup[i].ply, b->setup[i].ply);
    assert_int_equal(a->setup[i].point, b->setup[i].point);
    assert_int_equal(a->setup[i].colour, b->setup[i].colour);
  }
  for (uint32_t i = 0; i < a->n_evals; i++) {
    assert_int_equal(a->evals[i].ply, b->evals[i].ply);
    assert_same_float(a->evals[i].black_win, b->evals[i].black_win);
    assert_same_float(a->evals[i].black_score, b->evals[i].black_score);
    assert_int_equal(a->evals[i].visits, b->evals[i].visits);
    assert_int_equal(a->evals[i].source, b->evals[i].source);
  }
  for (int k = 0; k < KM_TEXT_COUNT; k++) {
    assert_int_equal(a->text[k].bytes == NULL, b->text[k].bytes == NULL);
    assert_int_equal(a->text[k].n_bytes, b->text[k].n_bytes);
    if (a->text[k].n_bytes)
      assert_memory_equal(a->text[k].bytes, b->text[k].bytes, a->text[k].n_bytes);
  }
}

void make_games(const char *path, uint64_t seed, int n) {
  km_games_writer *writer;
  km_arena arena;
  test_random r = {seed};
  km_arena_init(&arena);
  assert_ok(km_games_writer_open(&writer, path, &test_origin, 1, &test_err));
  for (int i = 0; i < n; i++) {
    km_game game;
    km_arena_reset(&arena);
    random_game(&game, &arena, &r);
    km_game_keys keys = random_keys(&r);
    assert_ok(km_games_writer_add(writer, &game, &keys, NULL, &test_err));
  }
  assert_ok(km_games_writer_finish(writer, 1, NULL, &test_err));
  km_arena_clear(&arena);
}

/* S of position p of the test file: changes in few bits from one to the next. */
static void fill_hbs(km_block *block, const km_hbs_schema *schema, uint64_t first, size_t n, uint64_t seed) {
  for (uint32_t c = 0; c < schema->shape.n_colours; c++) {
    uint64_t *s = km_block_rows(block, (size_t)schema->s_column[c]);
    for (size_t i = 0; i < n * schema->shape.n_limbs; i++)
      s[i] = km_mix64(seed + c) ^ (km_mix64(seed + (first * schema->shape.n_limbs + i) / 7) & 0xff00);
    if (schema->log2_column[c] >= 0) {
      double *log2 = km_block_rows(block, (size_t)schema->log2_column[c]);
      for (size_t i = 0; i < n; i++)
        log2[i] = (double)(first + i) / 3;
    }
    if (schema->layer_column[c] >= 0) {
      uint64_t *layer = km_block_rows(block, (size_t)schema->layer_column[c]);
      for (size_t i = 0; i < n; i++)
        layer[i * schema->shape.n_layers * schema->shape.n_limbs] = first + i;
    }
  }
}

void make_hbs(const char *path, uint64_t seed, int n, const km_hbs_shape *shape, size_t block_games) {
  km_hbs_schema schema;
  km_hbs_writer *writer;
  test_random r = {seed};
  uint64_t *offsets = calloc((size_t)n + 1, sizeof *offsets);
  assert_non_null(offsets);
  for (int i = 0; i < n; i++)
    offsets[i + 1] = offsets[i] + test_below(&r, 400);
  assert_ok(km_hbs_schema_init(&schema, shape, &test_err));
  assert_ok(km_hbs_writer_open(&writer, path, &schema, &test_origin, 1, &test_err));
  assert_ok(km_hbs_writer_offsets(writer, offsets, (uint64_t)n, &test_err));
  km_block *block = km_block_new(&schema.table);
  for (size_t i = 0; i < (size_t)n; i += block_games) {
    size_t last = i + block_games < (size_t)n ? i + block_games : (size_t)n,
           count = offsets[last] - offsets[i];
    km_block_reset(block, offsets[i]);
    assert_ok(km_block_extend(block, count, &test_err));
    fill_hbs(block, &schema, offsets[i], count, seed);
    assert_ok(km_block_pack(block, &test_err));
    assert_ok(km_hbs_writer_append(writer, block, &test_err));
  }
  km_block_free(block);
  assert_ok(km_hbs_writer_finish(writer, &test_err));
  free(offsets);
}

static const km_column shard_columns[] = {
    {.name = "planes",
     .type = KM_U8,
     .inner_rank = 2,
     .inner = {3, 11},
     .doc = "planes, most significant bit first",
     .fill = 255},
    {.name = "policy", .type = KM_I16, .doc = "move played", .fill = -1},
    {.name = "score", .type = KM_F32, .doc = "score", .units = "points"},
    {.name = "to_play", .type = KM_U8, .doc = "1 Black, 2 White", .fill = 0},
};
static const char *const plane_names[] = {"own 0", "opponent 0", "colour"};

void test_shard_spec(km_shard_spec *spec, km_codec codec) {
  *spec = (km_shard_spec){
      .table = {.group = "", .columns = shard_columns, .n_columns = 4, .chunk_rows = 64, .codec = codec},
      .origin = test_origin,
      .layout = "test",
      .pack = "bits",
      .symmetries = "none",
      .rows = 9,
      .cols = 9,
      .planes = plane_names,
      .plane_docs = plane_names,
      .n_planes = 3,
      .force = 1,
  };
}

km_shard_entry make_shard(const char *path, uint64_t seed, size_t n_rows, km_codec codec, size_t block_rows) {
  km_shard_spec spec;
  km_shard_writer *writer;
  km_shard_entry entry;
  test_shard_spec(&spec, codec);
  assert_ok(km_shard_writer_open(&writer, path, &spec, &(km_shard_id){"train", 3, 1000}, &test_err));
  km_block *block = km_block_new(&spec.table);
  for (size_t first = 0; first < n_rows; first += block_rows) {
    size_t n = n_rows - first < block_rows ? n_rows - first : block_rows;
    km_block_reset(block, first);
    assert_ok(km_block_extend(block, n, &test_err));
    for (size_t i = 0; i < n; i++) {
      test_random r = {km_mix64(seed ^ (first + i))};
      unsigned char *planes = (unsigned char *)km_block_rows(block, 0) + i * 33;
      for (int k = 0; k < 33; k++)
        planes[k] = (unsigned char)(test_next(&r) & 0x11);
      ((int16_t *)km_block_rows(block, 1))[i] = (int16_t)test_below(&r, 82);
      ((float *)km_block_rows(block, 2))[i] = (float)(first + i) / 2;
      ((uint8_t *)km_block_rows(block, 3))[i] = (uint8_t)(1 + test_below(&r, 2));
    }
    assert_ok(km_block_pack(block, &test_err));
    assert_ok(km_shard_writer_append(writer, block, &test_err));
  }
  km_block_free(block);
  assert_ok(km_shard_writer_finish(writer, &entry, &test_err));
  return entry;
}

unsigned char *read_file(const char *path, size_t *n_bytes) {
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  unsigned char *bytes = malloc((size_t)st.st_size + 1);
  FILE *f = fopen(path, "rb");
  assert_true(bytes && f);
  assert_int_equal(fread(bytes, 1, (size_t)st.st_size, f), st.st_size);
  fclose(f);
  *n_bytes = (size_t)st.st_size;
  return bytes;
}

void write_file(const char *path, const void *bytes, size_t n_bytes) {
  unlink(path); /* file systems sync a file that is cut and written again */
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, n_bytes, f), n_bytes);
  assert_int_equal(fclose(f), 0);
}

void assert_same_file(const char *a, const char *b) {
  size_t n_a, n_b;
  unsigned char *bytes_a = read_file(a, &n_a), *bytes_b = read_file(b, &n_b);
  assert_int_equal(n_a, n_b);
  assert_memory_equal(bytes_a, bytes_b, n_a);
  free(bytes_a);
  free(bytes_b);
}

int file_exists(const char *path) {
  return access(path, F_OK) == 0;
}

int folder_entries(const char *path) {
  int n = 0;
  DIR *dir = opendir(path);
  assert_non_null(dir);
  for (struct dirent *e; (e = readdir(dir));)
    n += e->d_name[0] != '.';
  closedir(dir);
  return n;
}
