/* config.h: YAML configs (libcyaml). The schema is made from the option tables, so that a config and the command line
 * take the same names, ranges and choices; a key that no table has is an error with its line. cyaml.h stays here. */
#ifndef KIFUMILL_CONFIG_H
#define KIFUMILL_CONFIG_H

#include "kifumill/options.h"

/* Where the values of one mapping go. */
typedef struct km_config_section {
  const char *name; /* key of the mapping; NULL: the top level of the file */
  const km_option_table *tables;
  size_t n_tables;
  void *options;
} km_config_section;

typedef struct km_config km_config;

/* Reads path and sets the options of the sections named; sections of the other stages (n_ignored names) are let be.
 * The config owns the strings and must outlive the options. */
typedef struct km_config_request {
  const km_config_section *sections;
  size_t n_sections;
  const char *const *ignored;
  size_t n_ignored;
} km_config_request;
km_status km_config_load(km_config **config, const char *path, const km_config_request *request, km_err *err);

/* The list under the key "inputs". */
const char *const *km_config_inputs(const km_config *config, size_t *n_inputs);
void km_config_free(km_config *config);

#endif
