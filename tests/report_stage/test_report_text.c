/* test_report_text.c: numbers as people read them; text that cannot leave its place in the page. */
#include "report_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static km_scratch scratch;

static int open_scratch(void **state) {
  (void)state;
  km_arena_init(&scratch.arena);
  return 0;
}
static int close_scratch(void **state) {
  (void)state;
  km_arena_clear(&scratch.arena);
  return scratch.failed;
}

static void test_numbers(void **state) {
  (void)state;
  assert_string_equal(km_count_text(&scratch, 0), "0");
  assert_string_equal(km_count_text(&scratch, 999), "999");
  assert_string_equal(km_count_text(&scratch, 1000), "1,000");
  assert_string_equal(km_count_text(&scratch, 1234567), "1,234,567");
  assert_string_equal(km_count_text(&scratch, -123456), "−123,456");
  assert_string_equal(km_count_text(&scratch, (double)NAN), "–");
  assert_string_equal(km_number_text(&scratch, 0.012345, 3), "0.0123");
  assert_string_equal(km_number_text(&scratch, 123456.7, 3), "123,457");
  assert_string_equal(km_number_text(&scratch, 7.5854e22, 3), "7.59·10²²");
  assert_string_equal(km_number_text(&scratch, -1.5e-7, 2), "−1.5·10⁻⁷");
  assert_string_equal(km_number_text(&scratch, 0, 3), "0");
  assert_string_equal(km_fixed_text(&scratch, -0.0004, 3), "0.000");
  assert_string_equal(km_signed_text(&scratch, 0.25, 2), "+0.25");
  assert_string_equal(km_signed_text(&scratch, -0.25, 2), "−0.25");
  assert_string_equal(km_signed_text(&scratch, 0.0001, 2), "0.00");
  assert_string_equal(km_percent_text(&scratch, 0.1234, 1), "12.3 %");
  assert_string_equal(km_percent_text(&scratch, (double)INFINITY, 1), "–");
  assert_string_equal(km_p_text(&scratch, 0.0004), "p < 0.001");
  assert_string_equal(km_p_text(&scratch, 0.25), "p = 0.250");
}

static char *escaped(const char *text, size_t max) {
  char *result = NULL;
  size_t n;
  FILE *out = open_memstream(&result, &n);
  km_html_text_cut(out, text, max);
  fclose(out);
  return result;
}
static void expect(const char *text, const char *html) {
  char *result = escaped(text, SIZE_MAX);
  assert_string_equal(result, html);
  free(result);
}

static void test_markup_is_text(void **state) {
  (void)state;
  expect("a<b>&\"'", "a&#60;b&#62;&#38;&#34;&#39;");
  expect("</script><script>", "&#60;/script&#62;&#60;script&#62;");
  expect("本因坊", "本因坊");
  expect("a\x01\x1b[2J", "a\xef\xbf\xbd\xef\xbf\xbd[2J");
  expect("two\nlines\tand", "two lines and");
}

static void test_bytes_that_are_no_utf8(void **state) {
  (void)state;
  static const char *const bad[] = {
      "\xff", "\xc0\xbc", "\xc3", "\xe0\x80\xbc", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80",
      "\x80"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char *result = escaped(bad[i], SIZE_MAX);
    for (char *p = result; *p; p += 3)
      assert_int_equal(strncmp(p, "\xef\xbf\xbd", 3), 0);
    free(result);
  }
  expect("\xc3<", "\xef\xbf\xbd&#60;"); /* a cut character does not swallow what follows */
}

static void test_cutting_counts_characters(void **state) {
  (void)state;
  char *result = escaped("棋棋棋棋", 2);
  assert_string_equal(result, "棋棋…");
  free(result);
  result = escaped("棋棋", 2);
  assert_string_equal(result, "棋棋");
  free(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_markup_is_text),
      cmocka_unit_test(test_bytes_that_are_no_utf8),
      cmocka_unit_test(test_cutting_counts_characters),
  };
  return cmocka_run_group_tests(tests, open_scratch, close_scratch);
}
