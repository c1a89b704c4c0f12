/* config.c: builds a libcyaml schema out of option tables and applies what was loaded.
 *
 * The loaded data is one block: a char* a top-level option, then a pointer a section (to a block of char*), then the
 * inputs and their count. Every scalar is loaded as text and goes through km_option_set, which checks it. */
#include "config.h"

#include <cyaml/cyaml.h>
#include <stdlib.h>
#include <string.h>

struct km_config {
  cyaml_config_t cyaml;
  cyaml_schema_value_t root;
  cyaml_schema_field_t *fields;   /* of the root */
  cyaml_schema_field_t **section_fields;
  size_t n_sections;
  size_t inputs_offset, count_offset;
  void *data;
  char log[200]; /* the last complaints of libcyaml, joined */
};

static const cyaml_schema_value_t string_entry = {
    .type = CYAML_STRING, .flags = CYAML_FLAG_POINTER, .data_size = 1, .string = {.min = 0, .max = CYAML_UNLIMITED}};

/* Keeps what says something: "Load: Unexpected key: sizes", then the places, innermost first, under a headline. */
static void keep_log(cyaml_log_t level, void *ctx, const char *format, va_list args) {
  static const char before[] = "Load: ", headline[] = "Backtrace:";
  km_config *config = ctx;
  char line[200], *text = line;
  if (level < CYAML_LOG_ERROR)
    return;
  vsnprintf(line, sizeof line, format, args);
  line[strcspn(line, "\n")] = 0;
  if (strncmp(text, before, sizeof before - 1) == 0)
    text += sizeof before - 1;
  text += strspn(text, " ");
  size_t used = strlen(config->log);
  if (*text && strcmp(text, headline) != 0)
    snprintf(config->log + used, sizeof config->log - used, "%s%s", used ? ", " : "", text);
}

static cyaml_schema_field_t text_field(const char *key, size_t offset) {
  cyaml_schema_field_t field = {.key = key, .data_offset = (uint32_t)offset, .value = string_entry};
  field.value.flags = CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL;
  return field;
}

static size_t count_options(const km_config_section *section) {
  size_t n = 0;
  for (size_t t = 0; t < section->n_tables; t++)
    n += section->tables[t].n_rows;
  return n;
}

/* The fields of one section's options, each a char* in a block that starts at 0. */
static size_t add_options(cyaml_schema_field_t *fields, const km_config_section *section) {
  size_t n = 0;
  for (size_t t = 0; t < section->n_tables; t++)
    for (size_t i = 0; i < section->tables[t].n_rows; i++)
      if (!(section->tables[t].rows[i].flags & KM_OPTION_COMMAND_LINE)) {
        fields[n] = text_field(section->tables[t].rows[i].name, n * sizeof(char *));
        n++;
      }
  return n;
}

static const km_config_section *top_section(const km_config_request *request) {
  for (size_t i = 0; i < request->n_sections; i++)
    if (!request->sections[i].name)
      return &request->sections[i];
  return NULL;
}

static km_status build_schema(km_config *config, const km_config_request *request, km_err *err) {
  const km_config_section *top = top_section(request);
  size_t n_most = (top ? count_options(top) : 0) + request->n_sections + request->n_ignored + 2;
  config->fields = calloc(n_most, sizeof *config->fields);
  config->section_fields = calloc(request->n_sections + 1, sizeof *config->section_fields);
  if (!config->fields || !config->section_fields)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the config");
  size_t n = top ? add_options(config->fields, top) : 0, offset = n * sizeof(char *);
  for (size_t i = 0; i < request->n_sections; i++) {
    const km_config_section *section = &request->sections[i];
    if (!section->name)
      continue;
    cyaml_schema_field_t *fields = calloc(count_options(section) + 1, sizeof *fields);
    config->section_fields[config->n_sections++] = fields;
    if (!fields)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the config");
    size_t n_options = add_options(fields, section);
    config->fields[n++] = (cyaml_schema_field_t){
        .key = section->name,
        .data_offset = (uint32_t)offset,
        .value = {.type = CYAML_MAPPING,
                  .flags = CYAML_FLAG_POINTER_NULL | CYAML_FLAG_OPTIONAL,
                  .data_size = (uint32_t)(n_options * sizeof(char *)),
                  .mapping = {.fields = fields}}};
    offset += sizeof(void *);
  }
  for (size_t i = 0; i < request->n_ignored; i++)
    config->fields[n++] = (cyaml_schema_field_t){
        .key = request->ignored[i], .value = {.type = CYAML_IGNORE, .flags = CYAML_FLAG_OPTIONAL}};
  config->inputs_offset = offset;
  config->count_offset = offset + sizeof(void *);
  config->fields[n] = (cyaml_schema_field_t){
      .key = "inputs",
      .data_offset = (uint32_t)config->inputs_offset,
      .count_offset = (uint32_t)config->count_offset,
      .count_size = sizeof(uint64_t),
      .value = {.type = CYAML_SEQUENCE,
                .flags = CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                .data_size = sizeof(char *),
                .sequence = {.entry = &string_entry, .min = 0, .max = CYAML_UNLIMITED}}};
  config->root = (cyaml_schema_value_t){.type = CYAML_MAPPING,
                                        .flags = CYAML_FLAG_POINTER,
                                        .data_size = (uint32_t)(config->count_offset + sizeof(uint64_t)),
                                        .mapping = {.fields = config->fields}};
  return KM_OK;
}

/* Sets the options of one section from its block of texts, whose fields are in the order of add_options. */
static km_status apply(const km_config_section *section, const cyaml_schema_field_t *fields, char *const *texts,
                       km_err *err) {
  size_t n = 0;
  for (size_t t = 0; t < section->n_tables; t++)
    for (size_t i = 0; i < section->tables[t].n_rows; i++) {
      if (section->tables[t].rows[i].flags & KM_OPTION_COMMAND_LINE)
        continue;
      const char *text = texts[n], *key = fields[n++].key;
      km_status status =
          text ? km_option_set(section->tables, section->n_tables, section->options, key, text, err) : KM_OK;
      if (status != KM_OK)
        return section->name ? km_err_prefix(err, "%s", section->name) : status;
    }
  return KM_OK;
}

static km_status apply_all(const km_config *config, const km_config_request *request, km_err *err) {
  char *const *texts = config->data;
  const km_config_section *top = top_section(request);
  km_status status = top ? apply(top, config->fields, texts, err) : KM_OK;
  size_t n_top = 0, n_section = 0;
  for (const cyaml_schema_field_t *f = config->fields; f->key && f->value.type == CYAML_STRING; f++)
    n_top++;
  for (size_t i = 0; status == KM_OK && i < request->n_sections; i++) {
    if (!request->sections[i].name)
      continue;
    char *const *block = (char *const *)(const void *)texts[n_top + n_section];
    if (block)
      status = apply(&request->sections[i], config->section_fields[n_section], block, err);
    n_section++;
  }
  return status;
}

km_status km_config_load(km_config **out, const char *path, const km_config_request *request, km_err *err) {
  km_config *config = calloc(1, sizeof *config);
  *out = NULL;
  if (!config)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the config");
  config->cyaml = (cyaml_config_t){
      .log_level = CYAML_LOG_ERROR, .log_fn = keep_log, .log_ctx = config, .mem_fn = cyaml_mem};
  km_status status = build_schema(config, request, err);
  if (status == KM_OK) {
    cyaml_err_t code = cyaml_load_file(path, &config->cyaml, &config->root, &config->data, NULL);
    if (code == CYAML_ERR_FILE_OPEN)
      status = km_err_set(err, KM_ERR_USAGE, 0, "cannot open the config %.200s", path);
    else if (code != CYAML_OK)
      status = km_err_set(err, KM_ERR_USAGE, 0, "config %.80s: %s (%s)", path, cyaml_strerror(code), config->log);
    else if (config->data && (status = apply_all(config, request, err)) != KM_OK) /* no data: an empty file */
      km_err_prefix(err, "config %.100s", path);
  }
  if (status != KM_OK) {
    km_config_free(config);
    return status;
  }
  *out = config;
  return KM_OK;
}

const char *const *km_config_inputs(const km_config *config, size_t *n_inputs) {
  uint64_t count = 0;
  const char *const *inputs = NULL;
  *n_inputs = 0;
  if (!config->data)
    return NULL;
  memcpy(&inputs, (const char *)config->data + config->inputs_offset, sizeof inputs);
  memcpy(&count, (const char *)config->data + config->count_offset, sizeof count);
  *n_inputs = inputs ? (size_t)count : 0;
  return inputs;
}

void km_config_free(km_config *config) {
  if (!config)
    return;
  if (config->data)
    cyaml_free(&config->cyaml, &config->root, config->data, 0);
  for (size_t i = 0; i < config->n_sections; i++)
    free(config->section_fields[i]);
  free(config->section_fields);
  free(config->fields);
  free(config);
}
