/* test_options.c: the option table from the command line, from YAML, as help and as echoed config. */
#include "config.h"
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

typedef struct sample {
  int flag, number, choice;
  uint64_t seed, bytes;
  double share;
  const char *text;
} sample;

#define ROW(field) offsetof(sample, field)
static const km_option rows[] = {
    {"flag", 'f', KM_OPTION_FLAG, 0, ROW(flag), NULL, NULL, 0, 0, "a flag"},
    {"number", 'n', KM_OPTION_INT, 0, ROW(number), "N", NULL, -5, 100, "a number"},
    {"choice", 0, KM_OPTION_CHOICE, 0, ROW(choice), NULL, "one|two|three", 0, 0, "a choice"},
    {"seed", 0, KM_OPTION_UINT64, 0, ROW(seed), "N", NULL, 0, 0, "a seed"},
    {"bytes", 0, KM_OPTION_BYTES, 0, ROW(bytes), "SIZE", NULL, 1, 1e15, "a size"},
    {"share", 0, KM_OPTION_DOUBLE, 0, ROW(share), "X", NULL, 0, 1, "a share"},
    {"text", 0, KM_OPTION_STRING, KM_OPTION_RUNTIME, ROW(text), "TEXT", NULL, 0, 0, "a text"},
};
static const km_option_table table = {rows, sizeof rows / sizeof *rows};

static km_status parse(sample *s, const char *line, const char **inputs, size_t *n, km_err *err) {
  static char copy[256];
  static char *argv[32];
  int argc = 0;
  argv[argc++] = copy;
  snprintf(copy, sizeof copy, "program %s", line);
  for (char *word = strtok(copy + 8, " "); word; word = strtok(NULL, " "))
    argv[argc++] = word;
  return km_options_parse(&table, 1, s, argc, argv, inputs, n, err);
}

static void test_every_form_is_read(void **state) {
  (void)state;
  sample s = {0};
  const char *inputs[32];
  size_t n;
  km_err err = {0};
  assert_int_equal(parse(&s, "a -f --number=7 --choice two - --seed 0xff --bytes 3K --share 0.25 --text x -- --b", inputs,
                         &n, &err),
                   KM_OK);
  assert_int_equal(s.flag, 1);
  assert_int_equal(s.number, 7);
  assert_int_equal(s.choice, 1);
  assert_int_equal(s.seed, 255);
  assert_int_equal(s.bytes, 3072);
  assert_true(s.share == 0.25);
  assert_string_equal(s.text, "x");
  assert_int_equal(n, 3);
  assert_string_equal(inputs[1], "-");
  assert_string_equal(inputs[2], "--b");
  assert_int_equal(parse(&s, "-n-5", inputs, &n, &err), KM_OK);
  assert_int_equal(s.number, -5);
}

static void test_bad_usage_names_option_and_cause(void **state) {
  (void)state;
  static const struct {
    const char *line, *message;
  } cases[] = {
      {"--nosuch", "unknown option --nosuch (see --help)"},
      {"--numbe 3", "unknown option --numbe (see --help)"},
      {"-x", "unknown option -x (see --help)"},
      {"--number", "--number needs a value"},
      {"--number 101", "--number 101: out of range, takes -5 to 100"},
      {"--number 1.5", "--number 1.5: not a whole number"},
      {"--number 1x", "--number 1x: not a number"},
      {"--number=", "--number : not a number"},
      {"--share nan", "--share nan: not a number"},
      {"--seed -1", "--seed -1: not a whole number from 0"},
      {"--seed 99999999999999999999", "--seed 99999999999999999999: not below 2^64"},
      {"--choice four", "--choice four: takes one of one|two|three"},
      {"--choice tw", "--choice tw: takes one of one|two|three"},
      {"--bytes 3Q", "--bytes 3Q: not a size (such as 64M)"},
      {"--flag=yes", "--flag takes no value"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sample s = {0};
    const char *inputs[32];
    size_t n;
    km_err err = {0};
    assert_int_equal(parse(&s, cases[i].line, inputs, &n, &err), KM_ERR_USAGE);
    assert_string_equal(err.msg, cases[i].message);
  }
}

static void test_dump_is_yaml_of_what_changes_outputs(void **state) {
  (void)state;
  sample s = {.flag = 1, .number = -3, .choice = 2, .seed = 5, .bytes = 1 << 21, .share = 0.5, .text = "hidden"};
  char *text = NULL;
  size_t n;
  FILE *out = open_memstream(&text, &n);
  km_options_dump(&table, 1, &s, "  ", out);
  fclose(out);
  assert_string_equal(text, "  flag: true\n  number: -3\n  choice: three\n  seed: 5\n  bytes: 2M\n  share: 0.5\n");
  free(text);
}

static void test_help_shows_live_defaults(void **state) {
  (void)state;
  sample s = {.number = 42, .choice = 1, .bytes = 1024};
  char *text = NULL;
  size_t n;
  FILE *out = open_memstream(&text, &n);
  km_options_help(&table, 1, &s, out);
  fclose(out);
  assert_non_null(strstr(text, "-n, --number N"));
  assert_non_null(strstr(text, "a number [42]\n"));
  assert_non_null(strstr(text, "a choice [two]\n"));
  assert_non_null(strstr(text, "a size [1K]\n"));
  assert_non_null(strstr(text, "a text\n"));
  free(text);
}

/* Loads a YAML text with a top level and a section, both of the sample table, and a stage that is ignored. */
static km_status load(const char *yaml, sample *top, sample *section, km_config **config, km_err *err) {
  char path[] = "/tmp/km-config-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, yaml, strlen(yaml)), (ssize_t)strlen(yaml));
  close(fd);
  km_config_section sections[] = {{NULL, &table, 1, top}, {"stage", &table, 1, section}};
  const char *ignored[] = {"other"};
  km_status status = km_config_load(config, path, &(km_config_request){sections, 2, ignored, 1}, err);
  char *at = strstr(err->msg, path);
  if (at)
    memmove(at, at + strlen(path), strlen(at + strlen(path)) + 1);
  unlink(path);
  return status;
}

static void test_config_sets_sections_and_inputs(void **state) {
  (void)state;
  sample top = {0}, section = {0};
  km_config *config;
  km_err err = {0};
  assert_int_equal(load("number: 9\ninputs: [a.zip, 'b c']\nstage:\n  choice: three\n  flag: yes\n  text: hello\nother:\n  x: 1\n",
                        &top, &section, &config, &err),
                   KM_OK);
  size_t n;
  const char *const *inputs = km_config_inputs(config, &n);
  assert_int_equal(n, 2);
  assert_string_equal(inputs[1], "b c");
  assert_int_equal(top.number, 9);
  assert_int_equal(section.choice, 2);
  assert_int_equal(section.flag, 1);
  assert_string_equal(section.text, "hello");
  km_config_free(config);
}

static void test_empty_config_sets_nothing(void **state) {
  (void)state;
  static const char *const texts[] = {"", "# only a comment\n", "stage:\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    sample top = {.number = 3}, section = {0};
    km_config *config = NULL;
    km_err err = {0};
    size_t n = 1;
    assert_int_equal(load(texts[i], &top, &section, &config, &err), KM_OK);
    assert_int_equal(top.number, 3);
    assert_null(km_config_inputs(config, &n));
    assert_int_equal(n, 0);
    km_config_free(config);
  }
}

static void test_config_errors_are_one_line(void **state) {
  (void)state;
  static const struct {
    const char *yaml, *part;
  } cases[] = {
      {"numbr: 9\n", "Unexpected key: numbr"},
      {"stage:\n  number: 1000\n", "stage: --number 1000: out of range"},
      {"stage: [1, 2]\n", "config"},
      {"a: b: c\n", "config"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sample top = {0}, section = {0};
    km_config *config = NULL;
    km_err err = {0};
    km_status status = load(cases[i].yaml, &top, &section, &config, &err);
    assert_int_equal(status, KM_ERR_USAGE);
    assert_non_null(strstr(err.msg, cases[i].part));
    assert_null(strchr(err.msg, '\n'));
    assert_null(config);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_form_is_read),
      cmocka_unit_test(test_bad_usage_names_option_and_cause),
      cmocka_unit_test(test_dump_is_yaml_of_what_changes_outputs),
      cmocka_unit_test(test_help_shows_live_defaults),
      cmocka_unit_test(test_config_sets_sections_and_inputs),
      cmocka_unit_test(test_empty_config_sets_nothing),
      cmocka_unit_test(test_config_errors_are_one_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
