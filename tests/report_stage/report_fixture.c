/* report_fixture.c: JSON by formulas. */
#include "report_fixture.h"

#include "kifumill/games_store.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FRACTIONS = 100, MOVES = 240, SIZE = 19, LAYERS = 9, WINDOW = 10 };

double fixture_linear(double x) {
  return x;
}
double fixture_concave(double x) {
  return 1 - (1 - x) * (1 - x) * (1 - x);
}
double fixture_convex(double x) {
  return x * x * x;
}
double fixture_sigmoid(double x) {
  return (1 / (1 + exp(-12 * (x - 0.5))) - 1 / (1 + exp(6.0))) / (1 - 2 / (1 + exp(6.0)));
}

static FILE *create(const char *path) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  return out;
}
static void finish(FILE *out) {
  assert_int_equal(fclose(out), 0);
}

static void put_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++)
    fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  fputc('"', out);
}

static void put_head(FILE *out, const char *format) {
  fprintf(out,
          "{\"format\":\"%s\",\"format_version\":1,\"generator\":\"kifumill 1.0.0\",\"command\":\"kifu-x "
          "<b>\",\"config\":\"a: 1\\nb: '<i>'\\n\",\"seed\":1,"
          "\"input_digest\":\"00\"",
          format);
}

static void put_estimate(FILE *out, const char *key, fixture_estimate e) {
  fprintf(out, "\"%s\":{\"value\":%.6g,\"low\":%.6g,\"high\":%.6g}", key, e.value, e.low, e.high);
}

/* "key":[f(0), …] of n places */
typedef struct curve_of {
  fixture_shape *shape;
  double low, high; /* at share 0 and 1 */
  int n;            /* places */
} curve_of;
static void put_curve_values(FILE *out, const char *key, curve_of c) {
  fprintf(out, ",\"%s\":[", key);
  for (int i = 0; i < c.n; i++)
    fprintf(out, "%s%.9g", i ? "," : "", c.low + (c.high - c.low) * c.shape((double)i / (c.n - 1)));
  fputc(']', out);
}
static void put_constants(FILE *out, const char *key, double value, int n) {
  put_curve_values(out, key, (curve_of){fixture_linear, value, value, n});
}

/* ---- hbs
 * ---------------------------------------------------------------------------------------------------------
 */

fixture_hbs fixture_hbs_default(void) {
  return (fixture_hbs){fixture_convex, fixture_concave, 0.001, 2000, 1900, 90, 3, 0.05, 0.3, NULL};
}

static void put_layers(FILE *out, const fixture_hbs *h, int n) {
  fputs(",\"layers\":[", out);
  for (int k = 0; k < LAYERS; k++) {
    int side = SIZE - 2 * k;
    double late = k == 0 ? h->late_outer : h->late_inner;
    fprintf(out, "%s{\"side\":%d,\"mean\":[", k ? "," : "", side);
    for (int i = 0; i < n; i++) { /* all that is gained in the last third is late */
      double x = (double)i / (n - 1), share = x > 2.0 / 3 ? (x - 2.0 / 3) * 3 : 0;
      fprintf(out, "%s%.9g", i ? "," : "", 4 * side * (0.2 + late * share));
    }
    fputs("]", out);
    put_constants(out, "se", 4 * side * h->error, n);
    fputc('}', out);
  }
  fputc(']', out);
}

static void put_hbs_curve(FILE *out, const fixture_hbs *h, int by_fraction, const char *by,
                          const char *stratum) {
  int n = by_fraction ? FRACTIONS + 1 : MOVES + 1;
  double unit = 1e22, deviation = h->error * sqrt(h->games);
  fprintf(out, "{\"size\":%d,\"series\":\"black\",\"align\":\"%s\",\"by\":\"%s\",\"stratum\":", SIZE,
          by_fraction ? "fraction" : "move", by);
  put_string(out, stratum);
  fprintf(out, ",\"games\":%u", h->games);
  put_constants(out, "n", h->games, n);
  put_curve_values(out, "mean", (curve_of){h->log2, 40, 75, n});
  put_constants(out, "sd", 35 * deviation, n);
  put_constants(out, "se", 35 * h->error, n);
  put_curve_values(out, "q1", (curve_of){h->log2, 38, 73, n});
  put_curve_values(out, "median", (curve_of){h->log2, 40, 75, n});
  put_curve_values(out, "q3", (curve_of){h->log2, 42, 77, n});
  put_curve_values(out, "s_mean", (curve_of){h->s, 0, unit, n});
  put_constants(out, "s_sd", unit * deviation, n);
  if (!by_fraction) {
    put_constants(out, "d1", 0.1, n);
    put_constants(out, "d2", 0, n);
    fputs(",\"delta\":{\"mean\":[", out);
    for (int i = 0; i < n; i++)
      if (i < WINDOW)
        fprintf(out, "%snull", i ? "," : "");
      else
        fprintf(out, ",%.9g", unit * (h->s((double)i / MOVES) - h->s((double)(i - WINDOW) / MOVES)));
    fputs("]", out);
    put_constants(out, "se", unit * h->error / 50, n);
    fputs("}", out);
  }
  if (strcmp(by, "all") == 0 || strcmp(by, "result") == 0)
    put_layers(out, h, n);
  fputc('}', out);
}

static void put_first_stones(FILE *out, const fixture_hbs *h) {
  fputs("],\"first_stone\":[", out);
  for (int k = 0; k < LAYERS; k++) {
    int median = (int)(k == 0 ? h->edge_first : h->inner_first + k),
        width = 1; /* spread evenly about the median */
    fprintf(
        out,
        "%s{\"size\":%d,\"series\":\"black\",\"side\":%d,\"games\":%u,\"never\":0,\"median\":%d,\"counts\":[",
        k ? "," : "", SIZE, SIZE - 2 * k, h->games, median);
    for (int t = 0; t <= median + width; t++)
      fprintf(out, "%s%u", t ? "," : "",
              t == median - width || t == median + width ? h->games / 4
              : t == median                              ? h->games - h->games / 4 * (median ? 2 : 1)
                                                         : 0);
    fputs("]}", out);
  }
}

void fixture_put_hbs(const char *path, const fixture_hbs *h) {
  FILE *out = create(path);
  put_head(out, "kifumill hbs summary");
  fprintf(out,
          ",\"variant\":\"default\",\"series\":[\"black\"],\"window\":%d,\"fractions\":%d,\"games\":%u,"
          "\"games_rectangular\":0,\"positions\":%u,"
          "\"boards\":[{\"size\":%d,\"games\":%u,\"positions\":1,\"curves\":true}],\"curves\":[",
          WINDOW, FRACTIONS, h->games, h->games * (MOVES + 1), SIZE, h->games);
  for (int by_fraction = 0; by_fraction < 2; by_fraction++) {
    put_hbs_curve(out, h, by_fraction, "all", "all");
    fputc(',', out);
    put_hbs_curve(out, h, by_fraction, "result", "black");
    fputc(',', out);
    put_hbs_curve(out, h, by_fraction, "result", "white");
    fputs(by_fraction ? "" : ",", out);
  }
  if (h->stratum) {
    fputc(',', out);
    put_hbs_curve(out, h, 0, "player", h->stratum);
    fputc(',', out);
    put_hbs_curve(out, h, 0, "player", "another");
  }
  put_first_stones(out, h);
  fprintf(out,
          "],\"steps\":[{\"size\":%d,\"series\":\"black\",\"moves\":%u,\"rising\":10,\"unchanged\":5,"
          "\"falling\":%u,\"falling_without_capture\":1,\"games\":%u,"
          "\"games_falling\":%u,\"games_falling_without_capture\":1}]}",
          SIZE, h->games * MOVES, h->games_falling, h->games, h->games_falling);
  finish(out);
}

/* ---- phases -------------------------------------------------------------------------------------------- */

fixture_phases fixture_phases_default(void) {
  return (fixture_phases){"conventional", {-0.04, -0.06, -0.02}, {-0.06, -0.08, -0.04}, 2000, 33, 133,
                          "Honinbo"};
}

static void put_method(FILE *out, const char *name, fixture_estimate f1) {
  fprintf(out, "{\"name\":\"%s\",", name);
  put_estimate(out, "f1", f1);
  fputc(',', out);
  put_estimate(out, "distance", (fixture_estimate){20, 19, 21});
  fputs("}", out);
}

static void put_comparison(FILE *out, const fixture_phases *p) {
  fprintf(out, "\"comparison\":{\"games\":%u,\"methods\":[", p->games);
  put_method(out, "hbs", (fixture_estimate){0.2, 0.19, 0.21});
  fputc(',', out);
  put_method(out, "uniform", (fixture_estimate){0.2, 0.19, 0.21});
  fputs("],\"differences\":[", out);
  put_method(out, "hbs-changes", (fixture_estimate){-0.5, -0.6, -0.4}); /* no baseline: must not count */
  fputc(',', out);
  put_method(out, "uniform", p->minus_uniform);
  fputc(',', out);
  put_method(out, "stones", p->minus_stones);
  fputs("]}", out);
}

static void put_example(FILE *out, const fixture_phases *p) {
  fputs("\"examples\":[{\"game\":0,\"source\":", out);
  put_string(out, p->name);
  fputs(",\"entry\":", out);
  put_string(out, p->name);
  fputs(",\"black\":", out);
  put_string(out, p->name);
  fputs(",\"white\":", out);
  put_string(out, p->name);
  fputs(",\"size\":9,\"positions\":5,\"changes\":[1,3],\"middle\":1,\"endgame\":3,\"reference\":[1,3],"
        "\"log2\":[0,20,20,25,25]}]",
        out);
}

void fixture_put_phases(const char *path, const fixture_phases *p) {
  FILE *out = create(path);
  put_head(out, "kifumill phases summary");
  fprintf(out,
          ",\"variant\":\"default\",\"series\":\"black\",\"signal\":\"log2\",\"games\":%u,\"games_divided\":%"
          "u,\"positions\":9,\"reference\":{\"kind\":\"%s\",\"middle\":50,"
          "\"endgame\":150},\"margin\":10,\"boards\":[{\"size\":19,\"games\":%u,\"games_divided\":%u",
          p->games, p->games, p->kind, p->games, p->games);
  put_constants(out, "changes_per_game", 5, 10);
  put_constants(out, "changes_by_move", 5, 200);
  put_constants(out, "changes_by_fraction", 5, 100);
  fputs(",\"middle\":{\"mean\":40", out);
  put_constants(out, "counts", 3, 100);
  fputs("},\"endgame\":{\"mean\":140", out);
  put_constants(out, "counts", 3, 200);
  fputs("},\"density\":[{\"phase\":\"opening\",\"changes\":10,\"positions\":100}],\"mean_curve\":{\"x\":0",
        out);
  put_constants(out, "n", p->games, 200);
  fprintf(out, ",\"middle\":%g,\"endgame\":%g,\"changes\":[30,60,400,-1],\"values\":[[", p->middle,
          p->endgame);
  for (int i = 0; i < 200; i++)
    fprintf(out, "%s%d", i ? "," : "", i);
  fputs("]]},", out);
  put_comparison(out, p);
  fputs("}],", out);
  put_comparison(out, p);
  fputc(',', out);
  put_example(out, p);
  fputc('}', out);
  finish(out);
}

/* ---- win-rates ----------------------------------------------------------------------------------------- */

fixture_winrate fixture_winrate_default(void) {
  fixture_estimate chance = {0.5, 0.49, 0.51}, nothing = {0, -0.01, 0.01};
  return (fixture_winrate){chance,
                           nothing,
                           chance,
                           chance,
                           nothing,
                           nothing,
                           {-0.2, -0.22, -0.18},
                           {0.6, 0.59, 0.61},
                           {0.52, 0.51, 0.53},
                           0.05,
                           0,
                           "net.csv.gz"};
}

typedef struct result_of {
  const char *model, *by, *bucket;
  double from, to;
  fixture_estimate auc;
  const char *other; /* in minus, with these differences; NULL: none */
  fixture_estimate minus;
  double minus_loss;
} result_of;

static void put_metrics(FILE *out, fixture_estimate auc, fixture_estimate loss) {
  static const char *const keys[] = {"accuracy", "brier", "ece"};
  fputs("\"metrics\":{", out);
  put_estimate(out, "auc", auc);
  for (int i = 0; i < 3; i++) {
    fputc(',', out);
    put_estimate(out, keys[i], auc);
  }
  fputc(',', out);
  put_estimate(out, "log_loss", loss);
  fputs("}", out);
}

static void put_result(FILE *out, result_of r) {
  fputs("{\"model\":", out);
  put_string(out, r.model);
  fprintf(out,
          ",\"by\":\"%s\",\"bucket\":\"%s\",\"from\":%g,\"to\":%g,\"games\":900,\"positions\":9000,\"black_"
          "won\":0.5,",
          r.by, r.bucket, r.from, r.to);
  put_metrics(out, r.auc, r.auc);
  fputs(",\"minus\":[", out);
  if (r.other) {
    fprintf(out, "{\"model\":\"%s\",", r.other);
    double loss = r.minus_loss;
    put_metrics(out, r.minus, (fixture_estimate){loss, 0.9 * loss, 1.1 * loss});
    fputc('}', out);
  }
  fputs("],\"calibration\":[{\"low\":0.4,\"high\":0.5,\"n\":50,\"mean_p\":0.45,\"share\":{\"value\":0.44,"
        "\"low\":0.4,\"high\":0.5}},"
        "{\"low\":0.5,\"high\":0.6,\"n\":0,\"mean_p\":null,\"share\":{\"value\":null,\"low\":null,\"high\":"
        "null}}]}",
        out);
}

static void put_results(FILE *out, const result_of *results, size_t n) {
  fputs("\"results\":[", out);
  for (size_t i = 0; i < n; i++) {
    fputs(i ? "," : "", out);
    put_result(out, results[i]);
  }
  fputc(']', out);
}

static void put_effects(FILE *out, double d) {
  fputs("\"effects\":[{\"signal\":\"log2_black\",\"doc\":\"log2\",\"points\":[", out);
  for (int ply = 0; ply <= 200; ply += 5)
    fprintf(out,
            "%s{\"ply\":%d,\"won\":{\"n\":1000,\"mean\":60,\"sd\":5},\"lost\":{\"n\":1000,\"mean\":60,\"sd\":"
            "5},\"d\":%g}",
            ply ? "," : "", ply, d);
  fputs("]}]", out);
}

void fixture_put_winrate(const char *path, const fixture_winrate *w) {
  FILE *out = create(path);
  fixture_estimate chance = {0.5, 0.49, 0.51};
  const result_of held[] = {
      {"constant", "all", "all", 0, 400, chance, NULL, chance, 0},
      {"hbs_delta", "all", "all", 0, 400, w->auc, "constant", w->gain, 0},
      {"hbs_delta", "phase", "opening", 0, 50, w->opening, NULL, chance, 0},
      {"hbs_delta", "phase", "endgame", 150, 400, w->endgame, NULL, chance, 0},
      {"hbs_delta", "ply", "0-20", 0, 20, chance, NULL, chance, 0},
      {"hbs_delta", "ply", "20-40", 20, 40, chance, NULL, chance, 0},
      {"hbs_delta/mlp", "all", "all", 0, 400, chance, NULL, chance, 0},
      {"hbs_all", "all", "all", 0, 400, w->all, "ply_komi", w->all_minus_ply, w->all_loss},
      {"hybrid", "all", "all", 0, 400, w->hybrid, "local", w->hybrid_minus_local, 0}};
  const result_of outside[] = {{"external", "all", "all", 0, 400, {0.8, 0.79, 0.81}, NULL, chance, 0},
                               {"hbs_all", "all", "all", 0, 400, w->all, "external", w->minus_external, 0}};
  put_head(out, "kifumill winrate");
  fputs(",\"settings\":{\"board\":19,\"variant\":\"default\",\"sample\":\"every:5\",\"folds\":5,\"level\":0."
        "95},\"games\":{\"read\":2000,\"other_size\":0,\"no_winner\":10,"
        "\"drawn\":5,\"used\":1985,\"black_won\":1000},\"positions\":9000,\"models\":[{\"name\":\"hbs\","
        "\"kind\":\"logistic\",\"doc\":\"log2(1+S) & more\",\"fits\":[{\"from\":0,\"to\":20,"
        "\"coefficients\":[{\"name\":\"log2_black\",\"beta\":0.1,\"se_cluster\":0.05}]},{\"from\":20,\"to\":"
        "null,\"coefficients\":[]}]}],",
        out);
  put_results(out, held, sizeof held / sizeof *held);
  fputs(",\"external\":[", out);
  if (w->external) {
    fputs("{\"name\":", out);
    put_string(out, w->external);
    fputs(",\"rows\":100,\"matched\":90,\"games\":9,\"no_game\":10,", out);
    put_results(out, outside, 2);
    fputc('}', out);
  }
  fputs("],", out);
  put_effects(out, w->effect);
  fputc('}', out);
  finish(out);
}

/* ---- styles, facts, ledger, manifest ------------------------------------------------------------------- */

static void put_player(FILE *out, const char *name, double index) {
  fputs("{\"name\":", out);
  put_string(out, name);
  fprintf(out,
          ",\"source\":\"a.zip\",\"games\":60,\"index\":{\"hbs\":{\"n\":60,\"mean\":%g,\"se\":0.01},\"line\":"
          "{\"n\":60,\"mean\":%g,\"se\":0.01}},\"black\":{\"n\":[9,9],"
          "\"log2\":[50,60],\"se\":[1,1]}}",
          index, index + 0.4);
}

void fixture_put_styles(const char *path, const fixture_styles *s) {
  FILE *out = create(path);
  put_head(out, "kifumill styles");
  fputs(
      ",\"settings\":{\"min_games\":50},\"players_seen\":900,\"plies\":[0,60],\"layers\":[19],\"players\":[",
      out);
  put_player(out, s->player, 0.1);
  fputc(',', out);
  put_player(out, "Shusaku", 0.3);
  fprintf(out,
          "],\"index\":{\"hbs\":{\"mean\":0.1,\"sd_within\":0.3,\"sd_between\":0.1,\"icc\":0.1},\"line\":{"
          "\"mean\":0.5,\"sd_within\":0.1,\"sd_between\":0.1,\"icc\":0.1},"
          "\"correlation\":0.7},\"tests\":[{\"of\":\"log2\",\"source\":\"all\",\"players\":40,\"objects\":80,"
          "\"between\":0.9,\"within\":0.7,\"difference\":0.2,\"p_value\":%g},"
          "{\"of\":\"log2\",\"source\":\"a.zip\",\"players\":20,\"objects\":40,\"between\":0.9,\"within\":0."
          "7,\"difference\":0.2,\"p_value\":%g}],\"map\":{\"of\":\"log2\","
          "\"share\":[0.4,0.2],\"players\":[{\"name\":",
          s->p_all, s->p_source);
  put_string(out, s->player);
  fputs(",\"x\":1,\"y\":0.5},{\"name\":\"Shusaku\",\"x\":-1,\"y\":-0.5}]}}", out);
  finish(out);
}

void fixture_put_facts(const char *path, const char *source) {
  FILE *out = create(path);
  fputs("{\"records\":2010,\"games\":2000,\"refused\":10,\"moves\":480000,\"inputs\":1,\"entries\":2010,"
        "\"refused_by_reason\":{\"duplicate\":10},\"cut_by_reason\":{},"
        "\"repaired_by_reason\":{\"same_colour\":3},\"input_by_reason\":{},\"by_size\":{\"19x19\":2000},\"by_"
        "year\":{\"1846\":1,\"2020\":1990,\"unknown\":9},\"by_length\":{\"0200-0219\":900,"
        "\"0240-0259\":1100},\"by_black_rank\":{\"9d\":1000,\"3k\":900,\"unknown\":100},\"by_white_rank\":{"
        "\"9p\":2000},\"by_source\":{",
        out);
  put_string(out, source);
  fputs(":2000}}", out);
  finish(out);
}

void fixture_put_ledger(const char *path, const char *name) {
  FILE *out = create(path);
  fprintf(out,
          "kind\tcode\tsource\tentry\tgame\tbyte\tdetail\nrefused\tduplicate\t%s\t%s\t1\t0\t%"
          "s\nrepaired\tsame_colour\ta.zip\tb.sgf\t2\t10\tmove 4\nbroken line\n",
          name, name, name);
  finish(out);
}

void fixture_put_manifest(const char *path) {
  FILE *out = create(path);
  put_head(out, "kifumill manifest");
  fputs(
      ",\"settings\":{\"layout\":\"alphago-zero\"},\"counts\":{\"rows\":300},\"planes\":[],\"files\":[{"
      "\"name\":\"train-00000.h5\",\"kind\":\"shard\",\"split\":\"train\",\"index\":0,\"rows\":200,"
      "\"bytes\":20000,\"xxh3_128\":\"0\"},{\"name\":\"test-00000.h5\",\"kind\":\"shard\",\"split\":\"test\","
      "\"index\":0,\"rows\":100,\"bytes\":9000,\"xxh3_128\":\"0\"},{\"name\":\"train.h5\","
      "\"kind\":\"virtual\",\"split\":\"train\",\"index\":0,\"rows\":200,\"bytes\":900,\"xxh3_128\":\"0\"}]}",
      out);
  finish(out);
}

void fixture_put_games(const char *path) {
  km_games_writer *writer;
  km_move moves[] = {{22, KM_BLACK, 0}, {24, KM_WHITE, 0}, {58, KM_BLACK, 0}, {81, KM_WHITE, 0}};
  km_game game = {.rows = 9,
                  .cols = 9,
                  .n_moves = 4,
                  .moves = moves,
                  .winner = KM_WINNER_BLACK,
                  .final_to_play = KM_BLACK,
                  .komi = 7,
                  .margin = (float)NAN};
  km_store_origin origin = {"kifu-ingest <x>", "seed: 1\n", 1, "00"};
  km_game_keys keys = {{1, 2}, {3, 4}};
  km_err err = {0};
  if (km_games_writer_open(&writer, path, &origin, 1, &err) != KM_OK ||
      km_games_writer_add(writer, &game, &keys, NULL, &err) != KM_OK ||
      km_games_writer_finish(writer, 1, NULL, &err) != KM_OK)
    fail_msg("%s", err.msg);
}

/* ---- running ------------------------------------------------------------------------------------------- */

void fixture_make_folder(char folder[64]) {
  strcpy(folder, "/tmp/km-report-XXXXXX");
  assert_non_null(mkdtemp(folder));
}
void fixture_remove_folder(const char *folder) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
}

km_status fixture_run(const char *const *inputs, size_t n, const char *output, int plots, char message[320]) {
  km_report_options options;
  km_stage_outcome outcome;
  km_err err = {0};
  km_report_stage.defaults(&options);
  options.run.inputs = inputs;
  options.run.n_inputs = n;
  options.run.output = output;
  options.run.messages = NULL;
  options.run.force = 1;
  options.run.threads = 2;
  options.run.command = "kifu-report";
  options.run.config_text = "";
  options.plots = plots;
  km_status status = km_report_run(&options, &outcome, &err);
  if (message)
    snprintf(message, 320, "%s", status == KM_OK ? "" : err.msg);
  return status;
}

char *fixture_read(const char *path, size_t *n_bytes) {
  FILE *in = fopen(path, "rb");
  if (!in)
    fail_msg("%s is not there", path);
  assert_int_equal(fseek(in, 0, SEEK_END), 0);
  size_t n = (size_t)ftell(in);
  rewind(in);
  char *text = malloc(n + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, n, in), n);
  text[n] = 0;
  fclose(in);
  if (n_bytes)
    *n_bytes = n;
  return text;
}

const char *fixture_verdict(const char *output, const char *title) {
  static const char *const verdicts[] = {"not supported", "not decidable here", "supported"};
  char path[256], row[256];
  const char *found = "no such claim";
  snprintf(path, sizeof path, "%s/index.html", output);
  snprintf(row, sizeof row, "<td data-of=Claim><b>%s", title);
  char *page = fixture_read(path, NULL), *claim = strstr(page, row),
       *end = claim ? strstr(claim, "</tr>") : NULL;
  if (end) {
    *end = 0;
    char *verdict = strstr(claim, "data-of=Verdict");
    for (int i = 2; verdict && i >= 0; i--)
      if (strstr(verdict, verdicts[i]))
        found = verdicts[i];
  }
  free(page);
  return found;
}
