/* test_planes_faults.c: memory that runs out at every allocation in turn: KM_ERR_NOMEM, nothing leaked (the
 * sanitizer's leak check), and success once there is enough. Linked with malloc and calloc wrapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kifumill/ensemble.h"
#include "kifumill/features.h"

void *__real_malloc(size_t n_bytes);
void *__real_calloc(size_t n, size_t n_bytes);
void *__wrap_malloc(size_t n_bytes);
void *__wrap_calloc(size_t n, size_t n_bytes);

static int fails_at = -1; /* allocations until the one that fails; negative: none does */

void *__wrap_malloc(size_t n_bytes) {
  return fails_at-- == 0 ? NULL : __real_malloc(n_bytes);
}
void *__wrap_calloc(size_t n, size_t n_bytes) {
  return fails_at-- == 0 ? NULL : __real_calloc(n, n_bytes);
}

static km_status nothing(void *context, size_t n_rows, const uint8_t *planes, float *policies, float *values,
                         km_err *err) {
  (void)context, (void)n_rows, (void)planes, (void)policies, (void)values, (void)err;
  return KM_OK;
}

static km_status make_all(const char *layout, km_err *err) {
  km_plane_encoder *encoder = NULL;
  km_ensemble *ensemble = NULL;
  km_feature_reader *reader = NULL;
  km_plane_options options = {.layout = km_layout_find(layout), .rows = 9, .cols = 9, .symmetries = 0xff};
  km_status status = km_plane_encoder_new(&encoder, &options, err);
  if (status == KM_OK)
    status = km_ensemble_new(&ensemble, encoder, nothing, NULL, err);
  if (status == KM_OK)
    status = km_feature_reader_new(&reader, 0, err);
  km_feature_reader_free(reader);
  km_ensemble_free(ensemble);
  km_plane_encoder_free(encoder);
  return status;
}

static void test_memory(void **state) {
  (void)state;
  static const char *const layouts[] = {"alphago-zero", "alphago-48"};
  static const int expected[] = {14, 23};
  for (int i = 0; i < 2; ++i) {
    int n = 0;
    for (km_status status = KM_ERR_NOMEM; status != KM_OK; ++n) {
      km_err err = {0};
      fails_at = n;
      status = make_all(layouts[i], &err);
      fails_at = -1;
      assert_true(status == KM_OK || (status == KM_ERR_NOMEM && err.msg[0] != '\0'));
    }
    assert_int_equal(n - 1, expected[i]); /* as many allocations as there are */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
