/* section_run.c: under the title, what the report is of; at its end, how it was made. */
#include "sections.h"

#include <math.h>
#include <string.h>

static void put_fact(km_report *report, const char *value, const char *name) {
  if (strcmp(value, "–") == 0)
    return;
  fputs("<div><b>", report->out);
  km_html_text(report->out, value);
  fputs("</b><span>", report->out);
  km_html_text(report->out, name);
  fputs("</span></div>", report->out);
}

static void put_facts(km_report *report) {
  const json_t *facts = report->inputs.json[KM_INPUT_FACTS], *hbs = report->inputs.json[KM_INPUT_HBS],
               *winrate = report->inputs.json[KM_INPUT_WINRATE],
               *counts = km_json_get(report->inputs.json[KM_INPUT_MANIFEST], "counts");
  km_scratch *t = &report->scratch;
  fputs("<div class=facts>", report->out);
  if (facts) {
    put_fact(report, km_count_text(t, km_json_get_number(facts, "records")), "records read");
    put_fact(report, km_count_text(t, km_json_get_number(facts, "games")), "games kept");
    put_fact(report, km_count_text(t, km_json_get_number(facts, "moves")), "moves");
  } else if (hbs) {
    put_fact(report, km_count_text(t, km_json_get_number(hbs, "games")), "games");
  }
  put_fact(report, km_count_text(t, km_json_get_number(hbs, "positions")), "positions with S");
  put_fact(report, km_count_text(t, km_json_get_number(winrate, "positions")), "positions of models");
  put_fact(report, km_count_text(t, km_json_get_number(counts, "rows")), "rows in shards");
  fputs("</div>\n", report->out);
}

static void put_missing(km_report *report) {
  size_t n = 0;
  for (int i = 0; i < KM_INPUTS; i++)
    n += !report->inputs.path[i];
  if (n == 0)
    return;
  fputs("<p class=\"note missing\">Not there when this page was made: ", report->out);
  for (int i = 0, seen = 0; i < KM_INPUTS; i++)
    if (!report->inputs.path[i]) {
      fputs(seen++ ? "; " : "", report->out);
      km_html_text(report->out, km_input_name((km_input)i));
      fputs(" (", report->out);
      km_html_text(report->out, km_input_gives((km_input)i));
      fputs(")", report->out);
    }
  fputs(".</p>\n", report->out);
}

/* Stages name the games they were made of by digest: those of another run are told. */
static const char *made_of(const km_report *report, km_input input) {
  const char *digest = km_json_get_text(report->inputs.json[input], "input_digest");
  if (!*digest || !report->inputs.games || input == KM_INPUT_PHASES)
    return "";
  return strcmp(digest, report->inputs.digest[KM_INPUT_GAMES]) == 0 ? "these games"
                                                                    : "other games than games.h5";
}

static void put_other_games(km_report *report) {
  for (int i = 0; i < KM_INPUTS; i++)
    if (strncmp(made_of(report, (km_input)i), "other", 5) == 0)
      fprintf(report->out, "<p class=\"note missing\">%s was made of other games than games.h5.</p>\n",
              km_input_name((km_input)i));
}

void km_section_head(km_report *report) {
  fputs("<p class=lede>The layered border sum (HBS) turns a Go board into one number, S: from the edge "
        "inwards, the four sides of each square ring are "
        "read as binary numbers, sorted, joined, and added up. A paper claims that its course shows the "
        "phases of a game and foretells the winner. "
        "This page measures that.</p>\n",
        report->out);
  put_facts(report);
  put_missing(report);
  put_other_games(report);
}

/* ---- shards -------------------------------------------------------------------------------------------- */

static void put_pairs(km_report *report, const json_t *object) {
  const char *key;
  json_t *value;
  static const char *const titles[] = {"Setting", "Value"};
  km_page_table_begin(report, titles, 2);
  json_object_foreach((json_t *)(uintptr_t)object, key, value) {
    const char *text = json_string_value(value);
    km_page_row_begin(report);
    km_page_cell(report, key);
    km_page_cell(report, text ? text
                         : json_is_number(value)
                             ? km_number_text(&report->scratch, json_number_value(value), 12)
                             : "");
    km_page_row_end(report);
  }
  km_page_table_end(report);
}

typedef struct split_sum {
  const char *name;
  double files, rows, bytes;
} split_sum;

static size_t sum_splits(const json_t *files, split_sum *sums, size_t max) {
  size_t n = 0;
  for (size_t i = 0; i < json_array_size(files); i++) {
    const json_t *file = json_array_get(files, i);
    const char *split = km_json_get_text(file, "split");
    size_t k = 0;
    if (strcmp(km_json_get_text(file, "kind"), "virtual") == 0)
      continue;
    while (k < n && strcmp(sums[k].name, split) != 0)
      k++;
    if (k == max)
      continue;
    if (k == n)
      sums[n++] = (split_sum){.name = split};
    sums[k].files++;
    sums[k].rows += km_json_get_number(file, "rows");
    sums[k].bytes += km_json_get_number(file, "bytes");
  }
  return n;
}

void km_section_shards(km_report *report) {
  static const char *const titles[] = {"Split", "#Files", "#Rows", "#Bytes", "#Bytes a row"};
  const json_t *manifest = report->inputs.json[KM_INPUT_MANIFEST];
  split_sum sums[16];
  km_scratch *t = &report->scratch;
  if (!manifest)
    return;
  size_t n = sum_splits(km_json_get(manifest, "files"), sums, 16);
  km_page_section_begin(report, "shards", "Training shards");
  km_page_table_begin(report, titles, 5);
  for (size_t i = 0; i < n; i++) {
    km_page_row_begin(report);
    km_page_cell(report, *sums[i].name ? sums[i].name : "all");
    km_page_number(report, km_count_text(t, sums[i].files));
    km_page_number(report, km_count_text(t, sums[i].rows));
    km_page_number(report, km_count_text(t, sums[i].bytes));
    km_page_number(report, km_fixed_text(t, sums[i].bytes / sums[i].rows, 1));
    km_page_row_end(report);
  }
  km_page_table_end(report);
  put_pairs(report, km_json_get(manifest, "settings"));
  km_page_section_end(report);
}

/* ---- how it was made ----------------------------------------------------------------------------------- */

static const char *last_component(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void put_digests(km_report *report) {
  static const char *const titles[] = {"Input", "XXH3-128 of its bytes (of games.h5: of its content)",
                                       "Made by", "Made of"};
  km_page_table_begin(report, titles, 4);
  for (int i = 0; i < KM_INPUTS; i++)
    if (report->inputs.path[i]) {
      km_page_row_begin(report);
      km_page_cell(report, last_component(report->inputs.path[i]));
      km_page_cell(report, report->inputs.digest[i]);
      const char *generator = i == KM_INPUT_GAMES ? report->inputs.games_generator
                                                  : km_json_get_text(report->inputs.json[i], "generator");
      km_page_cell(report, generator ? generator : "");
      km_page_cell(report, made_of(report, (km_input)i));
      km_page_row_end(report);
    }
  km_page_table_end(report);
}

static void put_settings(km_report *report, const char *title, const char *command, const char *config) {
  fputs("<details><summary>", report->out);
  km_html_text(report->out, title);
  fputs("</summary><pre>", report->out);
  /* km_html_text makes blanks of line ends */
  for (const char *line = config; *line;) {
    size_t n = strcspn(line, "\n");
    km_html_text(report->out, KM_TEXT(report, "%.*s", (int)(n < 2000 ? n : 2000), line));
    fputc('\n', report->out);
    line += n + (line[n] == '\n');
  }
  fputs("</pre><p class=note>Command: <code>", report->out);
  km_html_text_cut(report->out, command, 2000);
  fputs("</code></p></details>\n", report->out);
}

void km_section_run(km_report *report) {
  const km_run_options *run = &report->options->run;
  km_page_section_begin(report, "run", "How this was made");
  put_digests(report);
  if (report->inputs.games_config)
    put_settings(report, "Settings of games.h5", report->inputs.games_command, report->inputs.games_config);
  for (int i = 0; i < KM_INPUTS; i++) {
    const json_t *json = report->inputs.json[i];
    const char *config = km_json_get_text(json, "config");
    if (*config)
      put_settings(report, KM_TEXT(report, "Settings of %s", km_input_name((km_input)i)),
                   km_json_get_text(json, "command"), config);
  }
  put_settings(report, "Settings of this report", run->command ? run->command : "",
               run->config_text ? run->config_text : "");
  if (report->options->plots != KM_PLOTS_OFF)
    km_page_note(report, "Every plot is in the folder plots beside this page: its data as .tsv, commands for "
                         "gnuplot as .gp, and drawn by it as .svg and .png.");
  km_page_section_end(report);
}
