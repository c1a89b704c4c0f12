/* verify_shard.c: with --deep, rows of a shard against the games: planes, policy, value, colour and komi are
 * made anew by a replay of each row's game and compared. */
#include "verify_deep.h"

#include "kifumill/encoder.h"
#include "kifumill/shard_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLANES, POLICY, VALUE, KOMI, TO_PLAY, GAME, PLY, SYMMETRY, N_COLUMNS, ROW_PROBLEMS_MAX = 5 };

static const km_column columns[N_COLUMNS] = {
    [PLANES] = {.name = "planes", .type = KM_U8},   [POLICY] = {.name = "policy", .type = KM_I16},
    [VALUE] = {.name = "value", .type = KM_I8},     [KOMI] = {.name = "komi", .type = KM_F32},
    [TO_PLAY] = {.name = "to_play", .type = KM_U8}, [GAME] = {.name = "game", .type = KM_U32},
    [PLY] = {.name = "ply", .type = KM_U16},        [SYMMETRY] = {.name = "symmetry", .type = KM_U8},
};

/* What a row says, and where its planes are. */
typedef struct row {
  uint64_t number;
  uint8_t *planes;
  int16_t policy;
  int8_t value;
  float komi;
  uint8_t to_play, symmetry;
  uint32_t game;
  uint16_t ply;
} row;

typedef struct shard {
  verify_session *session;
  const char *path;
  km_h5 *file;
  km_column columns[N_COLUMNS];
  km_table_reader *reader;
  km_table_cursor *cursor;
  km_plane_options how;
  km_plane_encoder *encoder;
  km_arena arena;
  km_replay *replay;
  row row;
  uint8_t *wanted;
} shard;

static km_status read_layout(shard *s, km_err *err) {
  char *layout = NULL, *pack = NULL;
  uint64_t rows = 0, cols = 0;
  km_status status = km_h5_get_text(s->file, "/", "layout", &layout, err);
  if (!status)
    status = km_h5_get_text(s->file, "/", "pack", &pack, err);
  if (!status)
    status = km_h5_get_u64(s->file, "/", "board_rows", &rows, err);
  if (!status)
    status = km_h5_get_u64(s->file, "/", "board_cols", &cols, err);
  if (!status)
    status = km_layout_parse(layout, &s->how.layout, &s->how.variants, err);
  if (!status && (rows - 1 >= KM_BOARD_MAX || cols - 1 >= KM_BOARD_MAX))
    status = km_err_set(err, KM_ERR_FORMAT, 0, "attributes board_rows and board_cols are none of a board");
  if (!status) {
    s->how.rows = (uint8_t)rows;
    s->how.cols = (uint8_t)cols;
    s->how.symmetries = 0xff;
    s->how.packing = strcmp(pack, "bytes") == 0 ? KM_PACK_BYTES : KM_PACK_BITS;
    status = km_plane_encoder_new(&s->encoder, &s->how, err);
  }
  free(layout);
  free(pack);
  return status;
}

/* The table, its planes with the shape that the layout gives. */
static km_status open_table(shard *s, km_err *err) {
  km_column *planes = &s->columns[PLANES];
  memcpy(s->columns, columns, sizeof columns);
  planes->inner[0] = (uint32_t)km_plane_encoder_n_planes(s->encoder);
  planes->inner_rank = s->how.packing == KM_PACK_BYTES ? 3 : 2;
  planes->inner[1] =
      s->how.packing == KM_PACK_BYTES ? s->how.rows : (uint32_t)km_plane_encoder_plane_bytes(s->encoder);
  planes->inner[2] = s->how.cols;
  km_table_schema schema = {.group = "", .columns = s->columns, .n_columns = N_COLUMNS};
  km_status status = km_table_reader_open(&s->reader, s->file, &schema, err);
  if (status)
    return status;
  size_t n_bytes = km_plane_encoder_row_bytes(s->encoder);
  s->cursor = km_table_cursor_new(s->reader);
  s->row.planes = malloc(n_bytes);
  s->wanted = malloc(n_bytes);
  s->replay = malloc(sizeof *s->replay);
  return s->cursor && s->row.planes && s->wanted && s->replay
             ? KM_OK
             : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
}

static km_status read_row(shard *s, uint64_t number, km_err *err) {
  row *r = &s->row;
  void *to[N_COLUMNS] = {
      [PLANES] = r->planes,    [POLICY] = &r->policy, [VALUE] = &r->value, [KOMI] = &r->komi,
      [TO_PLAY] = &r->to_play, [GAME] = &r->game,     [PLY] = &r->ply,     [SYMMETRY] = &r->symmetry};
  km_status status = KM_OK;
  r->number = number;
  for (size_t i = 0; i < N_COLUMNS && !status; i++)
    status = km_table_read(s->cursor, i, number, 1, to[i], err);
  return status;
}

/* Replays the row's game to its position; NULL, or why there is none. */
static const char *replay_to(shard *s, const km_game *game) {
  if (game->rows != s->how.rows || game->cols != s->how.cols)
    return "its game has another board";
  if (s->row.ply > game->n_moves)
    return "its game is shorter";
  if (s->row.symmetry >= KM_SYMMETRIES || !km_symmetry_fits(s->row.symmetry, game->rows, game->cols))
    return "its symmetry is none of the board's";
  km_replay_init(s->replay, game, &(km_replay_options){.mode = KM_REPLAY_SGF});
  km_plane_encoder_begin(s->encoder, s->replay);
  while (s->replay->ply < s->row.ply && km_replay_step(s->replay) == KM_OK)
    km_plane_encoder_follow(s->encoder, s->replay);
  return s->replay->ply == s->row.ply ? NULL : "its game cannot be replayed so far";
}

/* NULL, or what is not as the game has it. */
static const char *compare_row(shard *s, const km_game *game) {
  const row *r = &s->row;
  const char *why = replay_to(s, game);
  if (why)
    return why;
  uint8_t to_play = km_game_to_play(game, r->ply);
  int policy = r->ply < game->n_moves
                   ? km_policy_index(r->symmetry, game->rows, game->cols, game->moves[r->ply].point)
                   : -1;
  if (r->to_play != to_play)
    return "the player to move is the other one";
  if (r->policy != policy)
    return "another move is played";
  if (r->value != km_value_target(game->winner, to_play))
    return "the value is another one";
  if (r->komi != game->komi && (r->komi == r->komi || game->komi == game->komi))
    return "the komi is another one";
  km_plane_encoder_encode(s->encoder, &s->replay->board, to_play, r->symmetry, s->wanted);
  return memcmp(s->wanted, r->planes, km_plane_encoder_row_bytes(s->encoder))
             ? "the planes are not those of the position"
             : NULL;
}

static km_status compare_rows(shard *s, km_err *err) {
  uint64_t n = km_table_reader_n_rows(s->reader), n_drawn = verify_n_drawn(s->session, n);
  unsigned n_problems = 0;
  km_status status = KM_OK;
  for (uint64_t i = 0; i < n_drawn && !status && n_problems < ROW_PROBLEMS_MAX; i++) {
    const char *why = "there is no such game";
    km_game game;
    km_arena_reset(&s->arena);
    status = read_row(s, verify_draw(s->session, i, n), err);
    if (!status && s->row.game < km_games_count(s->session->games)) {
      status = km_games_game(s->session->games, s->row.game, &s->arena, &game, err);
      why = status ? NULL : compare_row(s, &game);
    }
    if (!status && why) {
      n_problems++;
      verify_problem_addf(s->session, s->path, "row %" PRIu64 " (game %u, ply %u, symmetry %u): %s",
                          s->row.number, s->row.game, s->row.ply, s->row.symmetry, why);
    }
  }
  return status;
}

km_status verify_shard_against_games(verify_session *session, const char *path, km_err *err) {
  shard s = {.session = session, .path = path};
  if (!session->options->deep)
    return KM_OK;
  km_status status = km_h5_open(&s.file, path, KM_SHARD_FORMAT, err);
  if (status)
    return status;
  km_arena_init(&s.arena);
  status = read_layout(&s, err);
  if (!status)
    status = open_table(&s, err);
  if (!status)
    status = compare_rows(&s, err);
  km_table_cursor_free(s.cursor);
  km_table_reader_close(s.reader);
  km_plane_encoder_free(s.encoder);
  km_arena_clear(&s.arena);
  km_h5_close(s.file);
  free(s.row.planes);
  free(s.wanted);
  free(s.replay);
  return status;
}
