/* ingest_options.c: the table of kifu-ingest's options. */
#include "ingest_stage.h"

#include <stddef.h>

#define ROW(field) offsetof(km_ingest_options, field)
static const km_option rows[] = {
    {"size", 0, KM_OPTION_STRING, 0, ROW(filters.sizes), "LIST", NULL, 0, 0,
     "only boards of these sizes: 19, or 9,13,19, or 13x9 (columns x rows)"},
    {"min-moves", 0, KM_OPTION_INT, 0, ROW(min_moves), "N", NULL, 0, 1000000, "only games with at least N moves"},
    {"max-moves", 0, KM_OPTION_INT, 0, ROW(max_moves), "N", NULL, 1, 1000000, "only games with at most N moves"},
    {"min-rank", 0, KM_OPTION_STRING, 0, ROW(filters.min_rank), "RANK", NULL, 0, 0,
     "only games whose players both have this rank or better (3k, 6d, 1p)"},
    {"handicap", 0, KM_OPTION_STRING, 0, ROW(filters.handicap), "RANGE", NULL, 0, 0, "only this handicap: 0, or 2..9"},
    {"result", 0, KM_OPTION_CHOICE, 0, ROW(result), NULL, "any|known|decided|score|resign", 0, 0,
     "only games with such a result"},
    {"since", 0, KM_OPTION_STRING, 0, ROW(filters.since), "DATE", NULL, 0, 0, "only games played on or after DATE"},
    {"until", 0, KM_OPTION_STRING, 0, ROW(filters.until), "DATE", NULL, 0, 0, "only games played on or before DATE"},
    {"komi", 0, KM_OPTION_STRING, 0, ROW(filters.komi), "RANGE", NULL, 0, 0, "only this komi: 6.5, or 5.5..7.5"},
    {"rules", 0, KM_OPTION_CHOICE, 0, ROW(rules), NULL, "simple-ko|positional-superko|situational-superko", 0, 0,
     "which repetitions are illegal"},
    {"suicide", 0, KM_OPTION_CHOICE, 0, ROW(suicide), NULL, "by-record|forbid|allow", 0, 0,
     "by-record: forbidden unless the record's RU allows it"},
    {"illegal", 0, KM_OPTION_CHOICE, 0, ROW(illegal), NULL, "truncate|drop", 0, 0,
     "keep the moves before an illegal one, or refuse the game"},
    {"check", 0, KM_OPTION_CHOICE, 0, ROW(check), NULL, "replay|none", 0, 0,
     "replay every game; none trusts the records (faster; bad points are still found)"},
    {"after-end", 0, KM_OPTION_CHOICE, 0, ROW(after_end), NULL, "cut|keep", 0, 0,
     "moves after two passes in a row"},
    {"dedup", 0, KM_OPTION_CHOICE, 0, ROW(dedup), NULL, "off|moves|symmetric", 0, 0,
     "refuse copies: of the same moves, or also rotated and mirrored"},
    {"encoding", 0, KM_OPTION_STRING, 0, ROW(encoding), "NAME", NULL, 0, 0,
     "encoding of texts that nothing else explains (iconv's name)"},
    {"dry-run", 0, KM_OPTION_FLAG, KM_OPTION_RUNTIME, ROW(dry_run), NULL, NULL, 0, 0,
     "read and check everything, print the table, write nothing"},
    {"max-entry", 0, KM_OPTION_BYTES, 0, ROW(max_entry_bytes), "BYTES", NULL, 1024, 1e15,
     "largest entry that is read, expanded"},
    {"max-archive", 0, KM_OPTION_BYTES, 0, ROW(max_archive_bytes), "BYTES", NULL, 1024, 1e18,
     "largest input that is read, expanded"},
    {"max-ratio", 0, KM_OPTION_DOUBLE, 0, ROW(max_ratio), "X", NULL, 1, 1e9,
     "largest expansion of an input (a guard against archive bombs)"},
    {"max-depth", 0, KM_OPTION_INT, 0, ROW(max_depth), "N", NULL, 0, 16, "archives in archives that are opened"},
};
#undef ROW

static void set_defaults(void *options) {
  km_ingest_options *o = options;
  *o = (km_ingest_options){.min_moves = 1, .max_moves = 1000000, .dedup = KM_DEDUP_MOVES};
  km_run_options_default(&o->run);
  o->run.output = "games.h5";
  km_archive_limits limits;
  km_archive_limits_default(&limits);
  o->max_entry_bytes = limits.max_entry_bytes;
  o->max_archive_bytes = limits.max_archive_bytes;
  o->max_ratio = limits.max_ratio;
  o->max_depth = (int)limits.max_depth;
}

static km_status run(const void *options, km_stage_outcome *outcome, km_err *err) {
  return km_ingest_run(options, outcome, err);
}

const km_stage km_ingest_stage = {
    .name = "ingest",
    .synopsis = "[OPTION…] INPUT…",
    .about = "Reads Go game records (SGF) from archives, folders and files, decodes, parses, replays and de-duplicates\n"
             "them, and writes games.h5 with games.ledger.tsv and games.summary.json beside it.\n\n"
             "INPUT is an archive (zip, 7z, tar with any filter, …), an SGF file, a folder (walked in sorted order),\n"
             "- for standard input, or @LIST for a file of such names, one a line. Damage in the input is repaired or\n"
             "refused, with a line in the ledger: records read = games written + lines of kind refused.\n",
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
    .options_bytes = sizeof(km_ingest_options),
    .min_inputs = 1,
    .max_inputs = 1000000000,
    .defaults = set_defaults,
    .run = run,
};
