/* report_inputs.c: finding, telling apart and reading the inputs. JSON of any content is safe: everything is
 * read through the functions at the end. */
#include "report_inputs.h"

#include "kifumill/h5file.h"
#include "kifumill/hash.h"
#include "kifumill/manifest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { JSON_BYTES_MAX = 1 << 30, PATH_BYTES = 4096 };

typedef struct input_row {
  const char *name, *gives;
  const char *json_format; /* value of "format" */
  const char *first_line;  /* of text files: what they begin with */
} input_row;
static const input_row rows[KM_INPUTS] = {
    [KM_INPUT_GAMES] = {"games.h5", "boards of the example games", NULL, NULL},
    [KM_INPUT_FACTS] = {"games.summary.json", "facts of the corpus", NULL, NULL},
    [KM_INPUT_LEDGER] = {"games.ledger.tsv", "the first examples of refusals and repairs", NULL,
                         "kind\tcode\tsource\t"},
    [KM_INPUT_HBS] = {"hbs.summary.json", "trajectories of S", "kifumill hbs summary", NULL},
    [KM_INPUT_PHASES] = {"phases.summary.json", "change-points, phases and example games",
                         "kifumill phases summary", NULL},
    [KM_INPUT_WINRATE] = {"winrate.json", "win-rate models, and networks beside them", "kifumill winrate",
                          NULL},
    [KM_INPUT_STYLES] = {"winrate.styles.json", "players' styles", "kifumill styles", NULL},
    [KM_INPUT_MANIFEST] = {"shards/manifest.json", "training shards", KM_MANIFEST_FORMAT, NULL},
};

const char *km_input_name(km_input input) {
  return rows[input].name;
}
const char *km_input_gives(km_input input) {
  return rows[input].gives;
}

static km_status cannot_tell(const char *path, km_err *err) {
  return km_err_set(err, KM_ERR_FORMAT, 0, "%.200s is nothing that a report is made of (see --help)", path);
}

static km_status claim(km_report_inputs *inputs, km_input input, const char *path, km_err *err) {
  if (inputs->path[input])
    return km_err_set(err, KM_ERR_USAGE, 0, "two files are %s: %.100s and %.100s", rows[input].name,
                      inputs->path[input], path);
  inputs->path[input] = strdup(path);
  return inputs->path[input] ? KM_OK : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
}

/* ---- kinds of files ------------------------------------------------------------------------------------ */

static km_status take_games(km_report_inputs *inputs, const char *path, km_h5 *file, km_err *err) {
  km_status status = claim(inputs, KM_INPUT_GAMES, path, err);
  if (status == KM_OK)
    status = km_h5_get_text(file, "/", "command", &inputs->games_command, err);
  if (status == KM_OK)
    status = km_h5_get_text(file, "/", "config", &inputs->games_config, err);
  if (status == KM_OK)
    status = km_h5_get_text(file, "/", "generator", &inputs->games_generator, err);
  if (status == KM_OK)
    status = km_games_open(&inputs->games, path, err);
  if (status == KM_OK)
    km_hash_hex(km_games_digest(inputs->games), inputs->digest[KM_INPUT_GAMES]);
  return status;
}

/* Other stores of ours are no harm: what a report wants of them is in summaries beside them. */
static km_status take_store(km_report_inputs *inputs, const char *path, km_err *err) {
  km_h5 *file = NULL;
  char *format = NULL;
  km_status status = km_h5_open(&file, path, NULL, err);
  if (status == KM_OK)
    status = km_h5_get_text(file, "/", "format", &format, err);
  if (status == KM_OK && strcmp(format, KM_GAMES_FORMAT) == 0)
    status = take_games(inputs, path, file, err);
  else if (status == KM_OK && strncmp(format, "kifumill ", 9) != 0)
    status = cannot_tell(path, err);
  free(format);
  km_h5_close(file);
  return status;
}

static km_status take_file(km_report_inputs *inputs, km_input input, const char *path, km_err *err) {
  uint64_t n_bytes;
  km_status status = claim(inputs, input, path, err);
  return status == KM_OK ? km_file_digest(path, inputs->digest[input], &n_bytes, err) : status;
}

static int is_facts(const json_t *root) {
  return json_is_integer(json_object_get(root, "records")) &&
         json_is_integer(json_object_get(root, "games")) && json_is_object(json_object_get(root, "by_size"));
}

static km_status take_json(km_report_inputs *inputs, const char *path, km_err *err) {
  struct stat info;
  json_error_t why;
  if (stat(path, &info) == 0 && info.st_size > JSON_BYTES_MAX)
    return km_err_set(err, KM_ERR_LIMIT, 0, "%.200s has more than %d bytes", path, JSON_BYTES_MAX);
  json_t *root = json_load_file(path, 0, &why);
  if (!root)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%.150s: line %d: %.100s", path, why.line, why.text);
  const char *format = km_json_get_text(root, "format");
  km_input input = is_facts(root) ? KM_INPUT_FACTS : KM_INPUTS;
  for (int i = 0; i < KM_INPUTS; i++)
    if (rows[i].json_format && strcmp(rows[i].json_format, format) == 0)
      input = (km_input)i;
  km_status status = input == KM_INPUTS ? cannot_tell(path, err) : KM_OK;
  if (status == KM_OK && input != KM_INPUT_FACTS && km_json_get_number(root, "format_version") != 1)
    status = km_err_set(err, KM_ERR_STATE, 0, "%.200s has format version %g, not 1", path,
                        km_json_get_number(root, "format_version"));
  if (status == KM_OK)
    status = take_file(inputs, input, path, err);
  if (status != KM_OK) {
    json_decref(root);
    return status;
  }
  inputs->json[input] = root;
  return KM_OK;
}

static km_status take_text(km_report_inputs *inputs, const char *path, km_err *err) {
  char line[64] = "";
  FILE *in = fopen(path, "re");
  if (!in)
    return km_err_set(err, KM_ERR_IO, errno, "cannot open %.200s", path);
  size_t n = fread(line, 1, sizeof line - 1, in);
  line[n] = 0;
  fclose(in);
  for (int i = 0; i < KM_INPUTS; i++)
    if (rows[i].first_line && strncmp(line, rows[i].first_line, strlen(rows[i].first_line)) == 0)
      return take_file(inputs, (km_input)i, path, err);
  return cannot_tell(path, err);
}

static int ends_with(const char *path, const char *ending) {
  size_t n = strlen(path), k = strlen(ending);
  return n >= k && strcmp(path + n - k, ending) == 0;
}

static km_status take(km_report_inputs *inputs, const char *path, km_err *err) {
  if (ends_with(path, ".h5"))
    return take_store(inputs, path, err);
  if (ends_with(path, ".json"))
    return take_json(inputs, path, err);
  return take_text(inputs, path, err);
}

static km_status take_folder(km_report_inputs *inputs, const char *folder, km_err *err) {
  km_status status = KM_OK;
  size_t n = strlen(folder);
  while (n > 1 && folder[n - 1] == '/')
    n--;
  for (int i = 0; i < KM_INPUTS && status == KM_OK; i++) {
    char path[PATH_BYTES];
    struct stat info;
    snprintf(path, sizeof path, "%.*s/%s", (int)n, folder, rows[i].name);
    if (stat(path, &info) == 0)
      status = take(inputs, path, err);
  }
  return status;
}

km_status km_report_inputs_open(km_report_inputs *inputs, const char *const *names, size_t n, km_err *err) {
  *inputs = (km_report_inputs){0};
  km_status status = KM_OK;
  for (size_t i = 0; i < n && status == KM_OK; i++) {
    struct stat info;
    if (strlen(names[i]) > PATH_BYTES / 2)
      status = km_err_set(err, KM_ERR_USAGE, 0, "a name of more than %d bytes", PATH_BYTES / 2);
    else if (stat(names[i], &info))
      status = km_err_set(err, KM_ERR_IO, errno, "cannot open %.200s", names[i]);
    else
      status = S_ISDIR(info.st_mode) ? take_folder(inputs, names[i], err) : take(inputs, names[i], err);
  }
  int found = 0;
  for (int i = 0; i < KM_INPUTS; i++)
    found |= inputs->path[i] != NULL;
  if (status == KM_OK && !found)
    status = km_err_set(err, KM_ERR_USAGE, 0, "nothing in %.200s that a report can show (see --help)",
                        n ? names[0] : "no input");
  return status;
}

void km_report_inputs_clear(km_report_inputs *inputs) {
  for (int i = 0; i < KM_INPUTS; i++) {
    free(inputs->path[i]);
    json_decref(inputs->json[i]);
  }
  km_games_close(inputs->games);
  free(inputs->games_command);
  free(inputs->games_config);
  free(inputs->games_generator);
  *inputs = (km_report_inputs){0};
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

json_t *km_json_get(const json_t *object, const char *key) {
  return json_object_get(object, key);
}

double km_json_get_number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

size_t km_json_get_size(const json_t *object, const char *key) {
  double value = km_json_get_number(object, key);
  return value >= 0 && value <= 1e9 && value == floor(value) ? (size_t)value : 0;
}

const char *km_json_get_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

double *km_json_get_numbers(km_scratch *scratch, const json_t *object, const char *key, size_t *n) {
  const json_t *array = json_object_get(object, key);
  *n = json_array_size(array);
  double *values = km_scratch_numbers(scratch, *n + 1);
  if (!values)
    *n = 0;
  for (size_t i = 0; i < *n; i++) {
    const json_t *value = json_array_get(array, i);
    if (json_is_number(value))
      values[i] = json_number_value(value);
  }
  return values;
}

json_t *km_json_find(const json_t *array, const char *key, const char *value) {
  for (size_t i = 0; i < json_array_size(array); i++) {
    json_t *element = json_array_get(array, i);
    if (strcmp(km_json_get_text(element, key), value) == 0)
      return element;
  }
  return NULL;
}
