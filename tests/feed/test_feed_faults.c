/* test_feed_faults.c: memory that runs out at every allocation in turn, while a feed is opened and while rows
 * are made: a clear message, nothing leaked (the sanitizer's leak check), and success once there is enough.
 * Linked with malloc, calloc and realloc wrapped. */
#include "feed_fixture.h"

#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t n_bytes);
void *__real_calloc(size_t n, size_t n_bytes);
void *__real_realloc(void *p, size_t n_bytes);
void *__wrap_malloc(size_t n_bytes);
void *__wrap_calloc(size_t n, size_t n_bytes);
void *__wrap_realloc(void *p, size_t n_bytes);

static int fails_at = -1; /* allocations until the one that fails; negative: none does */

void *__wrap_malloc(size_t n_bytes) {
  return fails_at-- == 0 ? NULL : __real_malloc(n_bytes);
}
void *__wrap_calloc(size_t n, size_t n_bytes) {
  return fails_at-- == 0 ? NULL : __real_calloc(n, n_bytes);
}
void *__wrap_realloc(void *p, size_t n_bytes) {
  return fails_at-- == 0 ? NULL : __real_realloc(p, n_bytes);
}

static char games_path[512];
static uint8_t planes[400 * 198];

/* Opens and reads; the status of whatever failed, and its message. */
static int open_and_read(const char *const *settings, char *message) {
  km_feed *feed;
  int status = km_feed_open(&feed, games_path, settings, message, 320);
  if (status == 0) {
    for (int i = 0; i < 2 && status == 0; i++) /* what is remembered after a failure is whole */
      status = km_feed_read(feed, 1, 0, 200, &(km_feed_buffers){.planes = planes});
    if (status)
      strcpy(message, km_feed_message(feed));
  }
  km_feed_close(feed);
  return status;
}

static void test_memory(void **state) {
  (void)state;
  static const char *const orders[] = {"order=global", "order=pool"};
  static const char *const layouts[] = {"layout=alphago-zero", "layout=leela-zero"};
  make_played(scratch_path(games_path, "games.h5"),
              &(played_games){.rows = 9, .cols = 9, .n = 12, .moves = 90, .seed = 9});
  for (int i = 0; i < 2; i++) {
    const char *const settings[] = {"board=9", "split=1", orders[i], layouts[i], "symmetries=all", NULL};
    int status = -1, n = 0;
    for (; status != 0 && n < 5000; n++) {
      char message[320] = "";
      fails_at = n;
      status = open_and_read(settings, message);
      fails_at = -1;
      assert_true(status == 0 || message[0]);
    }
    assert_int_equal(status, 0);
    assert_true(n > 10);
    print_message("%d allocations\n", n - 1);
  }
  scratch_remove();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
