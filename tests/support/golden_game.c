/* golden_game.c: see golden_game.h. */
#include "golden_game.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/golden/games/"

static int is_json(const struct dirent *entry) {
  size_t n = strlen(entry->d_name);
  return n > 5 && !strcmp(entry->d_name + n - 5, ".json");
}

char **golden_names(void) {
  struct dirent **entries;
  int n = scandir(FOLDER, &entries, is_json, alphasort);
  if (n < 0)
    return NULL;
  char **names = calloc((size_t)n + 1, sizeof *names);
  for (int i = 0; i < n; i++) {
    if (names)
      names[i] = strndup(entries[i]->d_name, strlen(entries[i]->d_name) - 5);
    free(entries[i]);
  }
  free(entries);
  return names;
}

void golden_names_free(char **names) {
  for (char **name = names; name && *name; name++)
    free(*name);
  free(names);
}

static unsigned letter(char c) { return (unsigned)(c >= 'a' ? c - 'a' : c - 'A' + 26); }

uint16_t golden_point(const char *text, unsigned n) {
  if (!*text || !strcmp(text, "pass") || (n <= 19 && !strcmp(text, "tt")))
    return (uint16_t)(n * n);
  unsigned col = letter(text[0]), row = letter(text[1]);
  return (uint16_t)(col < n && row < n ? row * n + col : KM_POINT_OFFBOARD);
}

static void add_move(km_game *game, uint8_t colour, const char *value) {
  game->moves[game->n_moves++] = (km_move){golden_point(value, game->rows), colour, 0};
}

static void add_setup(km_game *game, uint8_t colour, const char *value) {
  int is_list = value[2] == ':';
  for (unsigned row = letter(value[1]); row <= letter(value[is_list ? 4 : 1]); row++)
    for (unsigned col = letter(value[0]); col <= letter(value[is_list ? 3 : 0]); col++)
      game->setup[game->n_setup++] = (km_setup){game->n_moves, (uint16_t)(row * game->cols + col), colour};
}

/* Carries out one property value. */
static void property(km_game *game, const char *name, const char *value) {
  if (!strcmp(name, "SZ"))
    game->rows = game->cols = (uint8_t)atoi(value);
  else if (!strcmp(name, "HA"))
    game->handicap = (uint8_t)atoi(value);
  else if (!strcmp(name, "B"))
    add_move(game, KM_BLACK, value);
  else if (!strcmp(name, "W"))
    add_move(game, KM_WHITE, value);
  else if (!strcmp(name, "AB"))
    add_setup(game, KM_BLACK, value);
  else if (!strcmp(name, "AW"))
    add_setup(game, KM_WHITE, value);
  else if (!strcmp(name, "AE"))
    add_setup(game, KM_EMPTY, value);
}

/* Reads the main line: it ends at the first closing parenthesis outside a value. */
static void read_sgf(km_game *game, const char *text) {
  char name[8] = "", value[64];
  size_t n_name = 0;
  int after_value = 0;
  game->rows = game->cols = 19;
  for (const char *p = text; *p && *p != ')'; p++) {
    if (*p == '[') {
      size_t n = 0;
      for (p++; *p && *p != ']'; p++) {
        if (*p == '\\' && p[1])
          p++;
        if (n + 1 < sizeof value)
          value[n++] = *p;
      }
      memset(value + n, 0, sizeof value - n);
      property(game, name, value);
      after_value = 1;
    } else if (*p >= 'A' && *p <= 'Z') {
      if (after_value)
        n_name = 0;
      after_value = 0;
      if (n_name + 1 < sizeof name)
        name[n_name++] = *p;
      name[n_name] = 0;
    }
  }
}

static char *read_file(km_arena *arena, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  enum { ROOM = 1 << 20 };
  char *text = km_arena_alloc(arena, ROOM);
  if (text)
    text[fread(text, 1, ROOM - 1, file)] = 0;
  fclose(file);
  return text;
}

int golden_load(golden_game *golden, const char *name) {
  char path[256];
  km_arena_init(&golden->arena);
  golden->game = (km_game){0};
  snprintf(path, sizeof path, FOLDER "%s.json", name);
  golden->json = json_load_file(path, 0, NULL);
  snprintf(path, sizeof path, FOLDER "%s.sgf", name);
  char *text = read_file(&golden->arena, path);
  enum { MOVES = 4096, SETUP = 8192 };
  golden->game.moves = km_arena_alloc(&golden->arena, MOVES * sizeof(km_move));
  golden->game.setup = km_arena_alloc(&golden->arena, SETUP * sizeof(km_setup));
  if (!golden->json || !text || !golden->game.moves || !golden->game.setup) {
    golden_clear(golden);
    return -1;
  }
  read_sgf(&golden->game, text);
  const char *to_play = json_string_value(json_object_get(golden->json, "final_to_play"));
  golden->game.final_to_play = to_play && *to_play == 'B' ? KM_BLACK : KM_WHITE;
  return 0;
}

void golden_clear(golden_game *golden) {
  json_decref(golden->json);
  golden->json = NULL;
  km_arena_clear(&golden->arena);
}
