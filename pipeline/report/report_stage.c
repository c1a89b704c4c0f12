/* report_stage.c: reads the inputs, writes the body section by section in memory, then the files: data and
 * scripts of plots first, the page last, so that a page that is there is complete. */
#include "report_stage.h"

#include "claims.h"
#include "figure_gnuplot.h"
#include "report_page.h"
#include "sections.h"

#include "kifumill/batch.h"
#include "kifumill/outfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

/* ---- the page ------------------------------------------------------------------------------------------ */

/* Text that a function writes. */
static km_status capture(km_report *report, void write(km_report *report), char **text, km_err *err) {
  size_t n_bytes;
  *text = NULL;
  report->out = open_memstream(text, &n_bytes);
  if (!report->out)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the page");
  write(report);
  int failed = ferror(report->out);
  failed |= fclose(report->out) != 0;
  report->out = NULL;
  return failed || report->scratch.failed ? km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the page")
                                          : KM_OK;
}

static void write_sections(km_report *report) {
  km_section_corpus(report);
  km_section_curves(report);
  km_section_phases(report);
  km_section_examples(report);
  km_section_winrate(report);
  km_section_external(report);
  km_section_styles(report);
  km_section_shards(report);
  km_section_run(report);
}

typedef struct page_text {
  char *head, *claims, *body, *whole;
  size_t n_bytes;
} page_text;

static void free_page(page_text *page) {
  free(page->head);
  free(page->claims);
  free(page->body);
  free(page->whole);
}

static km_status make_page(km_report *report, page_text *page, km_err *err) {
  km_status status = capture(report, km_section_head, &page->head, err);
  if (status == KM_OK)
    status = capture(report, km_section_claims, &page->claims, err);
  if (status == KM_OK)
    status = capture(report, write_sections, &page->body, err);
  FILE *out = status == KM_OK ? open_memstream(&page->whole, &page->n_bytes) : NULL;
  if (status == KM_OK && !out)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the page");
  km_page_parts parts = {page->body, page->claims, page->head};
  if (out)
    status = km_page_write(report, &parts, out, err);
  if (out && fclose(out) != 0 && status == KM_OK)
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the page");
  return status;
}

/* ---- files --------------------------------------------------------------------------------------------- */

static km_status make_folder(const char *path, km_err *err) {
  if (mkdir(path, 0777) && errno != EEXIST)
    return km_err_set(err, KM_ERR_IO, errno, "cannot make the folder %.200s", path);
  return KM_OK;
}

static km_status write_plots(km_report *report, const char *folder, size_t *n_drawn, km_err *err) {
  const km_report_options *o = report->options;
  const char **ids = km_scratch_zalloc(&report->scratch, (report->n_figures + 1) * sizeof *ids);
  if (!ids)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the plots");
  for (size_t i = 0; i < report->n_figures; i++)
    ids[i] = report->figures[i]->id;
  km_status status = make_folder(folder, err);
  if (status == KM_OK)
    km_gnuplot_clean(folder, ids, o->plots == KM_PLOTS_OFF ? 0 : report->n_figures);
  for (size_t i = 0; i < report->n_figures && status == KM_OK; i++)
    status = km_figure_gnuplot(report->figures[i], folder, 1, err);
  if (status == KM_OK && o->plots == KM_PLOTS_ALL) {
    char why[200] = "";
    km_gnuplot_work work = {folder, ids, report->n_figures,
                            km_threads(o->run.threads)};
    status = km_gnuplot_draw(&work, n_drawn, why, err);
    if (status == KM_OK && *why && o->run.messages)
      fprintf(o->run.messages, "warning: %zu of %zu plots are not drawn as SVG and PNG: %s\n",
              report->n_figures - *n_drawn, report->n_figures, why);
  }
  return status;
}

static km_status write_all(km_report *report, const page_text *page, km_stage_outcome *outcome, km_err *err) {
  const km_run_options *run = &report->options->run;
  char path[PATH_BYTES];
  size_t n_drawn = 0;
  km_status status = make_folder(run->output, err);
  snprintf(path, sizeof path, "%s/plots", run->output);
  if (status == KM_OK && report->options->plots != KM_PLOTS_OFF)
    status = write_plots(report, path, &n_drawn, err);
  snprintf(path, sizeof path, "%s/index.html", run->output);
  if (status == KM_OK)
    status = km_outfile_put(path, page->whole, page->n_bytes, run->force, err);
  if (status == KM_OK) {
    size_t n_data = report->options->plots == KM_PLOTS_OFF ? 0 : 2 * report->n_figures;
    *outcome = (km_stage_outcome){.n_files = 1 + n_data + 2 * n_drawn, .n_bytes = page->n_bytes};
    if (report->inputs.json[KM_INPUT_HBS])
      outcome->n_games = (uint64_t)km_json_get_number(report->inputs.json[KM_INPUT_HBS], "games");
    if (run->messages)
      fprintf(run->messages, "%s: %.1f MB, %zu plots\n", path, 1e-6 * (double)page->n_bytes,
              report->n_figures);
  }
  return status;
}

/* Told before any work: an output that is there, a place where none can be. */
static km_status check_output(const km_report_options *options, km_err *err) {
  char path[PATH_BYTES];
  struct stat info;
  const km_run_options *run = &options->run;
  if (strlen(run->output) > PATH_BYTES / 2)
    return km_err_set(err, KM_ERR_USAGE, 0, "an output name of more than %d bytes", PATH_BYTES / 2);
  if (stat(run->output, &info) == 0 && !S_ISDIR(info.st_mode))
    return km_err_set(err, KM_ERR_STATE, 0, "%.200s is there and is no folder", run->output);
  snprintf(path, sizeof path, "%s/index.html", run->output);
  if (!run->force && stat(path, &info) == 0)
    return km_err_set(err, KM_ERR_STATE, 0, "%.200s exists; --force overwrites it", path);
  return KM_OK;
}

km_status km_report_run(const km_report_options *options, km_stage_outcome *outcome, km_err *err) {
  km_report report = {.options = options};
  page_text page = {0};
  km_arena_init(&report.scratch.arena);
  km_status status = check_output(options, err);
  if (status == KM_OK)
    status = km_report_inputs_open(&report.inputs, options->run.inputs, options->run.n_inputs, err);
  if (status == KM_OK)
    status = make_page(&report, &page, err);
  if (status == KM_OK)
    status = write_all(&report, &page, outcome, err);
  free_page(&page);
  km_report_inputs_clear(&report.inputs);
  km_arena_clear(&report.scratch.arena);
  return status;
}
