/* store_fixture.h: a scratch folder, random games and files of every kind, for the tests of the stores. */
#ifndef STORE_FIXTURE_H
#define STORE_FIXTURE_H

#include "kifumill/arena.h"
#include "kifumill/games_store.h"
#include "kifumill/hbs_store.h"
#include "kifumill/shard_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* wants the others before it */

/* A folder of this process under TMPDIR or /tmp, made at first use, removed by scratch_remove. */
const char *scratch(void);
/* A path in it; a buffer of the caller's, 512 bytes. */
const char *scratch_path(char *text, const char *name);
void scratch_remove(void);

/* A stream of numbers from a seed. */
typedef struct test_random {
  uint64_t state;
} test_random;
uint64_t test_next(test_random *r);
uint64_t test_below(test_random *r, uint64_t n);

/* A plausible game with every field used, from arena. */
void random_game(km_game *game, km_arena *arena, test_random *r);
km_game_keys random_keys(test_random *r);
void assert_same_game(const km_game *a, const km_game *b);

extern const km_store_origin test_origin;

/* Whole files: n games; n games' S; a shard of n rows. Codec for the last two. Asserts success. */
void make_games(const char *path, uint64_t seed, int n);
void make_hbs(const char *path, uint64_t seed, int n, const km_hbs_shape *shape, size_t block_games);
void test_shard_spec(km_shard_spec *spec, km_codec codec);
km_shard_entry make_shard(const char *path, uint64_t seed, size_t n_rows, km_codec codec, size_t block_rows);

/* The whole of a file; free it. */
unsigned char *read_file(const char *path, size_t *n_bytes);
void write_file(const char *path, const void *bytes, size_t n_bytes);
void assert_same_file(const char *a, const char *b);
int file_exists(const char *path);
int folder_entries(const char *path);

/* assert KM_OK, showing the message. */
#define assert_ok(call) assert_ok_at((call), &test_err, __FILE__, __LINE__)
void assert_ok_at(km_status status, const km_err *err, const char *file, int line);
extern km_err test_err;

#endif
