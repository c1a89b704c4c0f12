/* bench_sgf.c: megabytes and moves a second of the SGF reader, beside what any reader must at least do.
 *
 *     bench_sgf [FILE]
 *
 * FILE is SGF games one after the other (the records of an archive, unpacked with bsdtar -xO); without it,
 * 20,000 generated ones in the manner of a server. Floors: a copy of the bytes, and a loop that adds up every
 * byte. Rows: the reader with an arena for the records that is reset every 64 of them; and that with the
 * replay of every game. All rows run in every round, timed in processor time; printed are the median, the
 * spread, and the median of the ratios to adding the bytes in the same round. The digest is of all moves,
 * their positions and the results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kifumill/hash.h"
#include "kifumill/replay.h"
#include "kifumill/sgf.h"

enum { ROUNDS = 9, GAMES = 20000, RESET_EVERY = 64 };

typedef struct bench {
  char *bytes, *copy;
  size_t n_bytes;
  km_arena reader, records;
  km_text_decoder *decoder;
  km_replay replay;
} bench;

typedef struct outcome {
  uint64_t n_records, n_moves, n_findings, digest;
} outcome;

static void die(const char *what) {
  fprintf(stderr, "bench_sgf: %s\n", what);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- input ---- */

static void generate(bench *b) {
  size_t room = (size_t)GAMES * 4096, n = 0;
  b->bytes = malloc(room);
  if (!b->bytes)
    die("no memory");
  for (uint64_t g = 0; g < GAMES; g++) {
    n += (size_t)snprintf(
        b->bytes + n, room - n,
        "(;GM[1]\nFF[4]\nSZ[19]\nPW[white %u]\nWR[6d]\nPB[black %u]\nBR[7d]\nDT[2010-03-%02u]\nKM[6.50]\n"
        "RE[%c+Resign]\nRU[Japanese]CA[UTF-8]TM[1500]OT[5x30 byo-yomi]\n",
        (unsigned)g, (unsigned)(g * 7), (unsigned)(g % 28 + 1), g % 2 ? 'B' : 'W');
    unsigned n_moves = 120 + (unsigned)km_random_below(km_random(1, g, 0, KM_PURPOSE_SAMPLE), 160);
    for (unsigned i = 0; i < n_moves; i++) {
      uint64_t r = km_random(1, g, i + 1, KM_PURPOSE_SAMPLE);
      const char move[8] = {
          ';', i % 2 ? 'W' : 'B', '[', (char)('a' + r % 19), (char)('a' + r / 19 % 19), ']', '\n', 0};
      memcpy(b->bytes + n, move, 7);
      n += 7;
    }
    b->bytes[n++] = ')';
    b->bytes[n++] = '\n';
  }
  b->n_bytes = n;
}

static void load(bench *b, const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file || fseek(file, 0, SEEK_END))
    die("cannot open the file");
  long size = ftell(file);
  rewind(file);
  b->bytes = size > 0 ? malloc((size_t)size) : NULL;
  if (!b->bytes || fread(b->bytes, 1, (size_t)size, file) != (size_t)size)
    die("cannot read the file");
  b->n_bytes = (size_t)size;
  fclose(file);
}

/* ---- rows ---- */

static outcome copy_bytes(bench *b) {
  memcpy(b->copy, b->bytes, b->n_bytes);
  __asm__ volatile("" : : "r"(b->copy) : "memory");
  return (outcome){0};
}

static outcome add_bytes(bench *b) {
  uint64_t sum = 0;
  for (size_t i = 0; i < b->n_bytes; i++) {
    sum += (uint8_t)b->bytes[i];
    __asm__ volatile("" : "+r"(sum)); /* a byte at a time, as a plain parser looks at them */
  }
  return (outcome){.digest = sum};
}

static uint64_t replay_game(bench *b, const km_game *game) {
  const km_replay_options options = {0};
  km_replay_init(&b->replay, game, &options);
  while (km_replay_step(&b->replay) == KM_OK) {
  }
  return b->replay.ply;
}

typedef enum action { READ, DIGEST, REPLAY } action;

static outcome read_all(bench *b, action todo) {
  outcome out = {0};
  km_sgf_reader *reader;
  km_sgf_record record;
  const km_sgf_options options = {.decoder = b->decoder, .records = &b->records};
  km_err err;
  km_arena_reset(&b->reader);
  if (km_sgf_open(&reader, b->bytes, b->n_bytes, &options, &b->reader, &err))
    die(err.msg);
  km_status status;
  while ((status = km_sgf_next(reader, &record, &err)) == KM_OK) {
    const km_game *g = &record.game;
    out.n_records++;
    out.n_moves += g->n_moves;
    out.n_findings += record.n_findings;
    if (todo == REPLAY && !record.refused)
      out.digest += replay_game(b, g);
    if (todo == DIGEST) {
      out.digest = km_mix64(out.digest ^ (uint64_t)(uint8_t)g->winner);
      for (uint32_t i = 0; i < g->n_moves; i++)
        out.digest = km_mix64(out.digest ^ record.move_pos[i] << 24 ^ (uint64_t)g->moves[i].colour << 16 ^
                              g->moves[i].point);
    }
    if (out.n_records % RESET_EVERY == 0)
      km_arena_reset(&b->records);
  }
  if (status != KM_END)
    die(err.msg);
  return out;
}
static outcome read_only(bench *b) {
  return read_all(b, READ);
}
static outcome read_replay(bench *b) {
  return read_all(b, REPLAY);
}

/* ---- report ---- */

typedef struct row {
  const char *name;
  outcome (*run)(bench *b);
  outcome outcome;
  double seconds[ROUNDS], ratio[ROUNDS];
} row;

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  static bench b;
  static row rows[] = {{.name = "floor: copy", .run = copy_bytes},
                       {.name = "floor: add bytes", .run = add_bytes},
                       {.name = "read", .run = read_only},
                       {.name = "read, replay", .run = read_replay}};
  enum { N_ROWS = sizeof rows / sizeof *rows };
  if (argc > 1)
    load(&b, argv[1]);
  else
    generate(&b);
  km_arena_init(&b.reader);
  km_arena_init(&b.records);
  b.decoder = km_text_decoder_new();
  b.copy = malloc(b.n_bytes + 1);
  if (!b.decoder || !b.copy)
    die("no memory");
  memset(b.copy, 0, b.n_bytes);
  outcome all = read_all(&b, DIGEST);
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < N_ROWS; i++) {
      double start = now();
      rows[i].outcome = rows[i].run(&b);
      rows[i].seconds[round] = now() - start;
    }
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < N_ROWS; i++)
      rows[i].ratio[round] = rows[i].seconds[round] / rows[1].seconds[round];
  printf("%zu bytes, %llu records, %llu moves, %llu findings, digest %016llx\n", b.n_bytes,
         (unsigned long long)all.n_records, (unsigned long long)all.n_moves,
         (unsigned long long)all.n_findings, (unsigned long long)all.digest);
  for (int i = 0; i < N_ROWS; i++) {
    qsort(rows[i].seconds, ROUNDS, sizeof(double), by_value);
    qsort(rows[i].ratio, ROUNDS, sizeof(double), by_value);
    double s = rows[i].seconds[ROUNDS / 2], mega = (double)b.n_bytes / 1e6;
    printf("%-18s %8.1f MB/s (%.1f…%.1f) %7.2f M moves/s  x%.2f of adding bytes\n", rows[i].name, mega / s,
           mega / rows[i].seconds[ROUNDS * 3 / 4], mega / rows[i].seconds[ROUNDS / 4],
           (double)rows[i].outcome.n_moves / 1e6 / s, rows[i].ratio[ROUNDS / 2]);
  }
  km_text_decoder_free(b.decoder);
  km_arena_clear(&b.reader);
  km_arena_clear(&b.records);
  free(b.bytes);
  free(b.copy);
  return 0;
}
