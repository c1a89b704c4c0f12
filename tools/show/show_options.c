/* show_options.c: the options of kifu-show: tables that commands share, and the list of commands. */
#include "show.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ROW(field) offsetof(show_options, field)
#define N(table) (sizeof(table) / sizeof *(table))

static const km_option record_rows[] = {
    {"game", 0, KM_OPTION_STRING, 0, ROW(game_text), "K", NULL, 0, 0,
     "of an SGF collection or archive the K-th game, from 1 (the first when not given); of games.h5 number "
     "K, "
     "from 0"},
    {"entry", 0, KM_OPTION_STRING, 0, ROW(entry), "NAME", NULL, 0, 0,
     "this entry of the archive; FILE may also be ARCHIVE//NAME"},
    {"encoding", 0, KM_OPTION_STRING, 0, ROW(encoding), "NAME", NULL, 0, 0,
     "encoding of texts that nothing else explains (iconv's name)"},
};

static const km_option replay_rows[] = {
    {"mode", 0, KM_OPTION_CHOICE, 0, ROW(mode), NULL, "strict|sgf", 0, 0,
     "strict: stop before the first illegal move; sgf: carry out whatever is on the board"},
    {"rules", 0, KM_OPTION_CHOICE, 0, ROW(rules), NULL, "simple-ko|positional-superko|situational-superko", 0,
     0, "which repetitions are illegal"},
    {"suicide", 0, KM_OPTION_CHOICE, 0, ROW(suicide), NULL, "by-record|forbid|allow", 0, 0,
     "by-record: forbidden unless the record's RU allows it"},
};
static const km_option ply_rows[] = {
    {"ply", 0, KM_OPTION_STRING, 0, ROW(ply_text), "T", NULL, 0, 0,
     "the position after T moves (the last one when not given)"},
};

static const km_option hbs_rows[] = {
    {"variant", 0, KM_OPTION_STRING, 0, ROW(variant), "NAME", NULL, 0, 0,
     "words joined by -: cw fixed canon, desc asc, value edge, black white both, none centre15"},
    {"format", 0, KM_OPTION_CHOICE, 0, ROW(format_choice), NULL, "csv|json", 0, 0, "form of the result"},
};
static const km_option board_rows[] = {
    {"format", 0, KM_OPTION_CHOICE, 0, ROW(format_choice), NULL, "text|json", 0, 0, "form of the result"},
};
static const km_option table_rows[] = {
    {"format", 0, KM_OPTION_CHOICE, 0, ROW(format_choice), NULL, "text|csv|json", 0, 0, "form of the result"},
};
static const km_option planes_rows[] = {
    {"layout", 0, KM_OPTION_STRING, 0, ROW(layout), "NAME[:VARIANT,…]", NULL, 0, 0,
     "alphago-zero, black-white, black-white-literal, leela-zero, or alphago-48 with variants capture1, "
     "setup-old, "
     "colour, sensible, depth50"},
    {"layout-options", 0, KM_OPTION_STRING, 0, ROW(layout_options), "LIST", NULL, 0, 0,
     "the VARIANTs, as kifu-planes takes them"},
    {"symmetry", 0, KM_OPTION_INT, 0, ROW(symmetry), "K", NULL, 0, 7,
     "0 as it is, 1 2 3 rotated by 90° 180° 270° counter-clockwise, 4 mirrored left-right, 5 top-bottom, 6 "
     "and 7 in "
     "the diagonals"},
    {"format", 0, KM_OPTION_CHOICE, 0, ROW(format_choice), NULL, "text|raw|sha256|json", 0, 0,
     "raw: uint8 [planes][rows][columns]; sha256: of those bytes"},
};
static const km_option changepoint_rows[] = {
    {"cost", 0, KM_OPTION_CHOICE, 0, ROW(cost), NULL, "l2|linear|l1|normal|rank", 0, 0, "cost of a segment"},
    {"search", 0, KM_OPTION_CHOICE, 0, ROW(search), NULL, "exact|pelt|binseg|window", 0, 0,
     "exact and pelt find the minimum"},
    {"penalty", 0, KM_OPTION_STRING, 0, ROW(penalty), "bic|mbic|aic|hannan-quinn|VALUE", NULL, 0, 0,
     "what a change costs"},
    {"changes", 0, KM_OPTION_STRING, 0, ROW(changes_text), "K", NULL, 0, 0,
     "exactly K changes, whatever the penalty"},
    {"min-size", 0, KM_OPTION_STRING, 0, ROW(min_size_text), "N", NULL, 0, 0,
     "shortest segment (1 for l2 and l1, else 2, when not given)"},
    {"noise", 0, KM_OPTION_CHOICE, 0, ROW(noise), NULL, "vn|mad", 0, 0,
     "estimate of the noise that penalties use"},
    {"format", 0, KM_OPTION_CHOICE, 0, ROW(format_choice), NULL, "text|json", 0, 0, "form of the result"},
};

static const km_option output_rows[] = {
    {"json", 0, KM_OPTION_FLAG, 0, ROW(json), NULL, NULL, 0, 0, "the same as --format json"},
    {"output", 'o', KM_OPTION_STRING, 0, ROW(output), "PATH", NULL, 0, 0,
     "where the result goes (standard output when not given)"},
    {"force", 0, KM_OPTION_FLAG, 0, ROW(force), NULL, NULL, 0, 0, "overwrite an output that exists"},
    {"strict", 0, KM_OPTION_FLAG, 0, ROW(strict), NULL, NULL, 0, 0,
     "exit with 3 when something in the input was refused or damaged"},
    {"quiet", 0, KM_OPTION_FLAG, 0, ROW(quiet), NULL, NULL, 0, 0, "no remarks on stderr"},
};
#undef ROW

#define RECORD                                                                                               \
  { record_rows, N(record_rows) }
#define REPLAY                                                                                               \
  { replay_rows, N(replay_rows) }
#define PLY                                                                                                  \
  { ply_rows, N(ply_rows) }
#define OWN(rows)                                                                                            \
  { rows, N(rows) }

static const show_format csv_json[] = {SHOW_CSV, SHOW_JSON}, text_json[] = {SHOW_TEXT, SHOW_JSON},
                         text_csv_json[] = {SHOW_TEXT, SHOW_CSV, SHOW_JSON},
                         planes_formats[] = {SHOW_TEXT, SHOW_RAW, SHOW_SHA256, SHOW_JSON};

const show_command show_commands[] = {
    {"info",
     "FILE",
     "What a record or an output of kifumill says of itself. Of a record: every value as it was understood "
     "and as it\n"
     "stands there, the first illegal move, and what was found wrong, with byte positions. Of games.h5 "
     "(without --game),\n"
     "hbs.h5, phases.h5, a shard, manifest.json: counts, attributes, columns with their descriptions.\n",
     {OWN(board_rows), RECORD, REPLAY},
     3,
     text_json,
     show_info},
    {"moves",
     "FILE",
     "One line a move: number, colour, point in SGF and GTP letters, class (legal, pass, offboard, "
     "bad_coordinate,\n"
     "occupied, suicide, ko, superko), what it repeats (positional, situational), and the points it "
     "emptied.\n",
     {OWN(table_rows), RECORD, REPLAY},
     3,
     text_csv_json,
     show_moves},
    {"board",
     "FILE",
     "A diagram of one position: X Black, O White, the last move in parentheses; captures by either player, "
     "ko point.\n",
     {OWN(board_rows), PLY, RECORD, REPLAY},
     4,
     text_json,
     show_board},
    {"hbs",
     "FILE",
     "The HBS value of every position, one line each: t,S,log2,L19,…,L3. S and L are exact, log2 is "
     "log2(1+S) to 17\n"
     "digits. With --variant both, White's columns come behind Black's.\n",
     {OWN(hbs_rows), RECORD, REPLAY},
     3,
     csv_json,
     show_hbs},
    {"planes",
     "FILE",
     "The planes of one position, as a network is given them. The player to move is the one who moved "
     "next.\n",
     {OWN(planes_rows), PLY, RECORD, REPLAY},
     4,
     planes_formats,
     show_planes},
    {"features",
     "FILE",
     "Chains, true eyes, ladders and move features of one position; the features are those of either "
     "player's move at\n"
     "every empty point.\n",
     {OWN(table_rows), PLY, RECORD, REPLAY},
     4,
     text_csv_json,
     show_features},
    {"changepoints",
     "SERIES.csv",
     "Where a series changes: the 0-based starts of its segments 2, 3, …, one a line, nothing when there are "
     "none. The\n"
     "series has one number a line; empty lines and lines that begin with # are skipped.\n",
     {OWN(changepoint_rows)},
     1,
     text_json,
     show_changepoints},
};
const size_t show_n_commands = N(show_commands);

const km_option_table show_output_table = {output_rows, N(output_rows)};

void show_options_default(show_options *options) {
  *options = (show_options){.variant = "default", .layout = "alphago-zero", .penalty = "bic"};
}

/* An option that is a whole number when it is given. */
static km_status read_number(const char *name, const char *text, int *given, uint64_t *number, km_err *err) {
  char *end;
  *given = text != NULL;
  if (!text)
    return KM_OK;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (end == text || *end || text[strspn(text, "0123456789")] || errno || value > UINT32_MAX)
    return km_err_set(err, KM_ERR_USAGE, 0, "--%s %.80s: not a whole number from 0", name, text);
  *number = value;
  return KM_OK;
}

km_status show_options_finish(show_options *options, const show_command *command, km_err *err) {
  km_status status = read_number("game", options->game_text, &options->has_game, &options->game, err);
  if (!status)
    status = read_number("ply", options->ply_text, &options->has_ply, &options->ply, err);
  options->format = options->json ? SHOW_JSON : command->formats[options->format_choice];
  return status;
}
