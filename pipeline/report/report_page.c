/* report_page.c: writing HTML. Texts are escaped here, at the last moment, and nowhere else. */
#include "report_page.h"

#include "figure_svg.h"
#include "report_assets.h"

#include "kifumill/sha256.h"

#include <math.h>
#include <string.h>

static void put(km_report *report, const char *markup) {
  fputs(markup, report->out);
}

void km_page_section_begin(km_report *report, const char *id, const char *title) {
  if (report->n_sections < KM_SECTIONS_MAX)
    report->sections[report->n_sections++] = (km_page_section){id, title};
  fprintf(report->out, "<section id=%s><h2>", id);
  km_html_text(report->out, title);
  put(report, "</h2>\n");
}
void km_page_section_end(km_report *report) {
  put(report, "</section>\n");
}

static void put_element(km_report *report, const char *open, const char *text, const char *close) {
  put(report, open);
  km_html_text(report->out, text);
  put(report, close);
}
void km_page_paragraph(km_report *report, const char *text) {
  put_element(report, "<p>", text, "</p>\n");
}
void km_page_note(km_report *report, const char *text) {
  put_element(report, "<p class=note>", text, "</p>\n");
}
void km_page_heading(km_report *report, const char *text) {
  put_element(report, "<h3>", text, "</h3>\n");
}

/* ---- figures ------------------------------------------------------------------------------------------- */

void km_page_grid_begin(km_report *report) {
  put(report, "<div class=grid>\n");
}
void km_page_grid_end(km_report *report) {
  put(report, "</div>\n");
}

static int keep_figure(km_report *report, km_figure *figure) {
  if (report->n_figures == report->figures_capacity) {
    size_t capacity = report->figures_capacity ? 2 * report->figures_capacity : 64;
    km_figure **larger = km_arena_grow(&report->scratch.arena, report->figures,
                                       report->figures_capacity * sizeof *larger, capacity * sizeof *larger);
    if (!larger) {
      report->scratch.failed = 1;
      return 0;
    }
    report->figures = larger;
    report->figures_capacity = capacity;
  }
  report->figures[report->n_figures++] = figure;
  return 1;
}

void km_page_figure(km_report *report, km_figure *figure, size_t places) {
  if (!figure || km_figure_empty(figure) || !keep_figure(report, figure))
    return;
  km_figure_html(report->out, figure, report->options->plots == KM_PLOTS_OFF ? NULL : figure->id,
                 places ? places : KM_SVG_PLACES);
}

/* ---- tabs ---------------------------------------------------------------------------------------------- */

void km_page_tabs_begin(km_report *report, const char *what, const char *const *names, size_t n) {
  unsigned group = report->n_tab_groups++;
  put(report, "<div class=tabs role=group aria-label=\"");
  km_html_text(report->out, what);
  put(report, "\"><span class=what>");
  km_html_text(report->out, what);
  put(report, "</span>");
  for (size_t i = 0; i < n && i < KM_TABS_MAX; i++) {
    fprintf(report->out, "<input type=radio name=t%u id=t%u-%zu%s><label for=t%u-%zu>", group, group, i,
            i ? "" : " checked", group, i);
    km_html_text_cut(report->out, names[i], 40);
    put(report, "</label>");
  }
  put(report, "\n");
}
void km_page_panel_begin(km_report *report) {
  put(report, "<div class=panel>\n");
}
void km_page_panel_end(km_report *report) {
  put(report, "</div>\n");
}
void km_page_tabs_end(km_report *report) {
  put(report, "</div>\n");
}

/* ---- tables -------------------------------------------------------------------------------------------- */

void km_page_table_begin(km_report *report, const char *const *titles, size_t n) {
  put(report, "<div class=scroll><table><thead><tr>");
  for (size_t i = 0; i < n; i++) {
    put(report, titles[i][0] == '#' ? "<th class=n>" : "<th>");
    km_html_text(report->out, titles[i] + (titles[i][0] == '#'));
    put(report, "</th>");
  }
  put(report, "</tr></thead><tbody>\n");
}
void km_page_row_begin(km_report *report) {
  put(report, "<tr>");
}
void km_page_cell(km_report *report, const char *text) {
  put(report, "<td>");
  km_html_text_cut(report->out, text, 300);
  put(report, "</td>");
}
void km_page_cell_with_note(km_report *report, const char *text, const char *note) {
  put(report, "<td class=noted>");
  km_html_text_cut(report->out, text, 100);
  put_element(report, "<small>", note, "</small></td>");
}
void km_page_number(km_report *report, const char *text) {
  put(report, "<td class=n>");
  km_html_text(report->out, text);
  put(report, "</td>");
}
void km_page_row_end(km_report *report) {
  put(report, "</tr>\n");
}
void km_page_table_end(km_report *report) {
  put(report, "</tbody></table></div>\n");
}

const char *km_interval_text(km_report *report, const double v[3], int decimals, int with_sign) {
  const char *(*number)(km_scratch *, double, int) = with_sign ? km_signed_text : km_fixed_text;
  km_scratch *scratch = &report->scratch;
  if (!isfinite(v[0]))
    return "–";
  if (!isfinite(v[1]) || !isfinite(v[2]))
    return number(scratch, v[0], decimals);
  return KM_TEXT(report, "%s [%s, %s]", number(scratch, v[0], decimals), number(scratch, v[1], decimals),
                 number(scratch, v[2], decimals));
}

const char *km_estimate_text(km_report *report, const json_t *estimate, int decimals, int with_sign) {
  double v[3] = {km_json_get_number(estimate, "value"), km_json_get_number(estimate, "low"),
                 km_json_get_number(estimate, "high")};
  return km_interval_text(report, v, decimals, with_sign);
}

/* ---- the page ------------------------------------------------------------------------------------------ */

/* The SHA-256 of the script as the policy wants it: base64. */
static void put_script_hash(FILE *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char hex[KM_SHA256_HEX];
  unsigned char bytes[33] = {0};
  km_sha256_hex(km_asset_report_js, km_asset_report_js_bytes, hex);
  for (size_t i = 0; i < 32; i++) {
    char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
    unsigned value = 0;
    sscanf(pair, "%x", &value);
    bytes[i] = (unsigned char)value;
  }
  for (size_t i = 0; i < 33; i += 3) {
    unsigned v = (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
    fprintf(out, "%c%c%c%c", digits[v >> 18], digits[v >> 12 & 63], digits[v >> 6 & 63],
            i == 30 ? '=' : digits[v & 63]);
  }
}

static void put_head(const km_report *report, FILE *out) {
  fputs("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'sha256-",
        out);
  put_script_hash(out);
  fputs("'\">\n<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<meta name=generator "
        "content=\"" KM_GENERATOR "\">\n"
        "<title>",
        out);
  km_html_text(out, report->options->title);
  fputs("</title>\n<style>\n", out);
  fwrite(km_asset_report_css, 1, km_asset_report_css_bytes, out);
  fputs("</style>\n</head>\n", out);
}

static void put_contents(const km_report *report, FILE *out) {
  fputs("<nav aria-label=Contents>", out);
  for (size_t i = 0; i < report->n_sections; i++) {
    fprintf(out, "<a href=\"#%s\">", report->sections[i].id);
    km_html_text(out, report->sections[i].title);
    fputs("</a> ", out);
  }
  fputs("</nav>\n", out);
}

km_status km_page_write(km_report *report, const km_page_parts *parts, FILE *out, km_err *err) {
  put_head(report, out);
  fputs("<body>\n<header>\n<h1>", out);
  km_html_text(out, report->options->title);
  fputs("</h1>\n", out);
  fputs(parts->head, out);
  fputs("</header>\n", out);
  put_contents(report, out);
  fputs("<main>\n", out);
  fputs(parts->claims, out);
  fputs(parts->body, out);
  fputs("</main>\n<footer>Made by " KM_GENERATOR ". Nothing on this page is fetched from anywhere.</footer>\n"
        "<div id=tip role=status hidden></div>\n<script>",
        out);
  fwrite(km_asset_report_js, 1, km_asset_report_js_bytes, out);
  fputs("</script>\n</body>\n</html>\n", out);
  return ferror(out) ? km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the page") : KM_OK;
}
