/* show_main.c: the program kifu-show: one record or one output, as text. */
#include "show.h"

#include "kifumill/outfile.h"
#include "program.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: kifu-show COMMAND [OPTION…] FILE\n";

void show_remark(show_session *session, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("kifu-show: ", session->remarks);
  vfprintf(session->remarks, format, args);
  fputc('\n', session->remarks);
  va_end(args);
}

static void print_help(void) {
  printf("%s\nLooks into game records and into what kifumill makes of them.\n\nCommands:\n", usage);
  for (size_t i = 0; i < show_n_commands; i++)
    printf("  %-13s %.*s\n", show_commands[i].name, (int)strcspn(show_commands[i].about, ".:;\n"),
           show_commands[i].about);
  printf("\nFILE is a game record (SGF) in any encoding, bare or compressed; ARCHIVE//ENTRY or an archive; "
         "games.h5; or -\n"
         "for standard input. `kifu-show COMMAND --help` tells the options of a command.\n\nOptions:\n"
         "      --help                        this text\n"
         "      --version                     the version\n");
}

static void print_command_help(const show_command *command, const show_options *defaults) {
  printf("usage: kifu-show %s [OPTION…] %s\n\n%s\nOptions [default]:\n", command->name, command->synopsis,
         command->about);
  km_options_help(command->tables, command->n_tables, defaults, stdout);
  km_options_help(&show_output_table, 1, defaults, stdout);
  printf("      --help                        this text\n"
         "      --version                     the version\n");
}

/* Whether one of the words (up to "--") is this option. */
static int asks(int argc, char **argv, const char *option, const char *letter) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], option) == 0 || (letter && strcmp(argv[i], letter) == 0))
      return 1;
  return 0;
}

static const show_command *find_command(const char *name) {
  for (size_t i = 0; i < show_n_commands; i++)
    if (strcmp(show_commands[i].name, name) == 0)
      return &show_commands[i];
  return NULL;
}

/* argv without the program's name: the command and its words. */
static km_status read_options(show_options *options, const show_command *command, int argc, char **argv,
                              km_err *err) {
  km_option_table tables[5];
  size_t n_inputs;
  memcpy(tables, command->tables, sizeof command->tables);
  tables[command->n_tables] = show_output_table;
  const char **inputs = calloc((size_t)argc + 1, sizeof *inputs);
  if (!inputs)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status =
      km_options_parse(tables, command->n_tables + 1, options, argc, argv, inputs, &n_inputs, err);
  if (!status && n_inputs != 1)
    status = km_err_set(err, KM_ERR_USAGE, 0, "%s (usage: kifu-show %s [OPTION…] %s)",
                        n_inputs ? "too many inputs" : "no input given", command->name, command->synopsis);
  options->input = inputs[0];
  free(inputs);
  return status ? status : show_options_finish(options, command, err);
}

/* Memory that a session writes to. */
typedef struct sheet {
  char *bytes;
  size_t n;
  FILE *file;
} sheet;

/* 0 when memory was out somewhere on the way. */
static int close_sheet(sheet *s) {
  if (!s->file)
    return 0;
  int bad = ferror(s->file);
  bad |= fclose(s->file);
  s->file = NULL;
  return !bad;
}

static km_status deliver(const show_options *options, const sheet *result, km_err *err) {
  if (options->output)
    return km_outfile_put(options->output, result->bytes, result->n, options->force, err);
  fwrite(result->bytes, 1, result->n, stdout); /* km_program_finish tells when that failed */
  return KM_OK;
}

static km_status run(const show_options *options, const show_command *command, uint64_t *n_damaged,
                     km_err *err) {
  sheet result = {0}, remarks = {0};
  result.file = open_memstream(&result.bytes, &result.n);
  remarks.file = open_memstream(&remarks.bytes, &remarks.n);
  show_session session = {.options = options, .out = result.file, .remarks = remarks.file};
  km_status status = KM_ERR_NOMEM;
  if (result.file && remarks.file)
    status = command->run(&session, err);
  int whole = close_sheet(&result) & close_sheet(&remarks);
  if (status != KM_ERR_NOMEM && !whole)
    status = KM_ERR_NOMEM;
  if (status == KM_ERR_NOMEM)
    km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (whole && !options->quiet && status == KM_OK) /* a failure has its one line */
    fwrite(remarks.bytes, 1, remarks.n, stderr);
  if (status == KM_OK)
    status = deliver(options, &result, err);
  *n_damaged = session.n_damaged;
  free(result.bytes);
  free(remarks.bytes);
  return status;
}

static int run_command(int argc, char **argv) {
  km_err err = {0};
  show_options options;
  show_options_default(&options);
  const show_command *command = find_command(argv[1]);
  if (!command) {
    km_err_set(&err, KM_ERR_USAGE, 0, "unknown command %.80s (see --help)", argv[1]);
    return km_program_report("kifu-show", KM_ERR_USAGE, &err);
  }
  if (asks(argc, argv, "--help", "-h")) {
    print_command_help(command, &options);
    return KM_EXIT_OK;
  }
  uint64_t n_damaged = 0;
  km_status status = read_options(&options, command, argc - 1, argv + 1, &err);
  if (status == KM_OK)
    status = run(&options, command, &n_damaged, &err);
  int code = km_program_report("kifu-show", status, &err);
  return code == KM_EXIT_OK && options.strict && n_damaged ? KM_EXIT_REFUSED : code;
}

int main(int argc, char **argv) {
  int code = KM_EXIT_OK;
  km_program_guard();
  if (asks(argc, argv, "--version", NULL)) {
    printf("kifu-show (kifumill) %s\n", KM_VERSION);
  } else if (argc < 2) {
    fprintf(stderr, "kifu-show: no command given (%.*s)\n", (int)strlen(usage) - 1, usage);
    code = KM_EXIT_USAGE;
  } else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_help();
  } else {
    code = run_command(argc, argv);
  }
  return km_program_finish("kifu-show", code);
}
