/* result.c: RE in Western, Chinese, Japanese and Korean spelling → winner, margin, ending.
 *
 * The text is cut into tokens (colour, verb, reason, number, status, doubt) by tables of words, and a small machine
 * reads clauses: a colour and then a verb say who won ("黑中盘胜", "W+R", "White lost on time"). It is strict where
 * strictness costs a winner and not where it only costs an ending:
 *   - two colours before a verb, a doubt ("?", "not", 未) or an unknown word inside a clause: not understood;
 *   - words after a whole clause are ignored unless they name another winner or a status that contradicts;
 *   - two clauses that disagree are a conflict.
 * "B+R" and its kin, nearly all records, are read by the same machine in a few steps. */
#include "kifumill/metadata.h"

#include "phrase.h"

typedef enum token {
  T_END,
  T_BLACK,
  T_WHITE,
  T_WIN,
  T_LOSE,
  T_PLUS,
  T_BY,         /* "by": a win when a colour stands before it and a reason behind */
  T_WIN_FOR,    /* the colour that follows wins */
  T_RESIGN,     /* reasons … */
  T_TIME,
  T_FORFEIT,
  T_RESIGNS,    /* … and verbs that say how the subject loses */
  T_TIMES_OUT,
  T_FORFEITS,
  T_DRAW,
  T_VOID,
  T_UNFINISHED,
  T_UNKNOWN,    /* says that nothing is known */
  T_DOUBT,      /* ?, negations */
  T_NUMBER,
  T_COUNT,      /* a number of moves: no margin */
  T_FILLER,
  T_BREAK,      /* punctuation */
  T_OTHER,
} token;

typedef struct word {
  const char *text;
  token token;
} word;

/* Runs of Latin letters, whole. */
static const word latin_words[] = {
    {"b", T_BLACK},          {"black", T_BLACK},       {"w", T_WHITE},           {"white", T_WHITE},
    {"wins", T_WIN},         {"won", T_WIN},           {"win", T_WIN},           {"winning", T_WIN},
    {"loses", T_LOSE},       {"lost", T_LOSE},         {"lose", T_LOSE},         {"by", T_BY},
    {"winner", T_WIN_FOR},   {"r", T_RESIGN},          {"res", T_RESIGN},        {"resign", T_RESIGN},
    {"resignation", T_RESIGN}, {"resigned", T_RESIGNS}, {"resigns", T_RESIGNS},  {"chuban", T_RESIGN},
    {"t", T_TIME},           {"time", T_TIME},         {"timeout", T_TIME},      {"overtime", T_TIME},
    {"timed", T_TIMES_OUT},  {"f", T_FORFEIT},         {"forfeit", T_FORFEIT},   {"forfeiture", T_FORFEIT},
    {"forfeits", T_FORFEITS}, {"forfeited", T_FORFEITS}, {"default", T_FORFEIT}, {"bye", T_FORFEIT},
    {"walkover", T_FORFEIT}, {"offline", T_FORFEIT},   {"disconnection", T_FORFEIT}, {"disconnect", T_FORFEIT},
    {"illegal", T_FORFEIT},  {"disqualification", T_FORFEIT}, {"draw", T_DRAW},  {"drawn", T_DRAW},
    {"jigo", T_DRAW},        {"tie", T_DRAW},          {"tied", T_DRAW},         {"void", T_VOID},
    {"noresult", T_VOID},    {"annulled", T_VOID},     {"both", T_VOID},         {"suspended", T_UNFINISHED},
    {"adjourned", T_UNFINISHED}, {"unfinished", T_UNFINISHED}, {"interrupted", T_UNFINISHED},
    {"aborted", T_UNFINISHED}, {"abandoned", T_UNFINISHED}, {"incomplete", T_UNFINISHED},
    {"uchikake", T_UNFINISHED}, {"unknown", T_UNKNOWN}, {"none", T_UNKNOWN},     {"not", T_DOUBT},
    {"t", T_TIME},           {"no", T_DOUBT},          {"never", T_DOUBT},       {"maybe", T_DOUBT},
    {"probably", T_DOUBT},   {"perhaps", T_DOUBT},     {"would", T_DOUBT},       {"should", T_DOUBT},
    {"could", T_DOUBT},      {"or", T_DOUBT},          {"almost", T_DOUBT},      {"nearly", T_DOUBT},
    {"if", T_DOUBT},         {"unless", T_DOUBT},      {"likely", T_DOUBT},      {"didn", T_DOUBT},
    {"doesn", T_DOUBT},      {"won't", T_DOUBT},       {"neither", T_DOUBT},     {"moves", T_COUNT},
    {"the", T_FILLER},       {"game", T_FILLER},       {"result", T_FILLER},     {"re", T_FILLER},
    {"has", T_FILLER},       {"is", T_FILLER},         {"was", T_FILLER},        {"on", T_FILLER},
    {"in", T_FILLER},        {"out", T_FILLER},        {"and", T_FILLER},        {"player", T_FILLER},
    {"score", T_FILLER},     {"through", T_FILLER},    {"with", T_FILLER},       {"a", T_FILLER},
    {"of", T_FILLER},
};

/* Anywhere; the first that fits counts, so longer ones stand before their beginnings. */
static const word han_words[] = {
    /* statuses that hold a verb */
    {"无胜负", T_VOID},   {"無勝負", T_VOID},   {"無勝敗", T_VOID},   {"勝負なし", T_VOID},   {"勝負無", T_VOID},
    {"胜负", T_DOUBT},    {"勝負", T_DOUBT},    {"勝敗", T_DOUBT},    {"勝率", T_DOUBT},      {"胜率", T_DOUBT},
    {"胜势", T_DOUBT},    {"勝勢", T_DOUBT},    {"胜定", T_DOUBT},    {"무승부", T_DRAW},     {"승부", T_DOUBT},
    {"승률", T_DOUBT},    {"不胜", T_DOUBT},    {"不勝", T_DOUBT},    {"勝てず", T_DOUBT},    {"勝てない", T_DOUBT},
    {"不败", T_DOUBT},    {"不敗", T_DOUBT},    {"双负", T_VOID},     {"雙負", T_VOID},       {"両負", T_VOID},
    {"双方负", T_VOID},   {"両者負", T_VOID},   {"双败", T_VOID},     {"両敗", T_VOID},
    /* colours */
    {"黑方", T_BLACK},    {"黑棋", T_BLACK},    {"黑番", T_BLACK},    {"黑", T_BLACK},        {"黒方", T_BLACK},
    {"黒番", T_BLACK},    {"黒", T_BLACK},      {"흑번", T_BLACK},    {"흑돌", T_BLACK},      {"흑", T_BLACK},
    {"白方", T_WHITE},    {"白棋", T_WHITE},    {"白番", T_WHITE},    {"白", T_WHITE},        {"백번", T_WHITE},
    {"백돌", T_WHITE},    {"백", T_WHITE},
    /* verbs and reasons */
    {"不计胜", T_RESIGN}, {"不计", T_RESIGN},   {"不計", T_RESIGN},   {"불계", T_RESIGN},     {"中盘", T_RESIGN},
    {"中盤", T_RESIGN},   {"中押し", T_RESIGN}, {"中押", T_RESIGN},   {"投了", T_RESIGNS},    {"认输", T_RESIGNS},
    {"認輸", T_RESIGNS},  {"投子", T_RESIGNS},  {"投降", T_RESIGNS},  {"돌을 던", T_RESIGNS}, {"超时", T_TIME},
    {"超時", T_TIME},     {"時間切れ", T_TIME}, {"時間切", T_TIME},   {"切れ", T_TIME},       {"用时", T_TIME},
    {"时间", T_TIME},     {"時間", T_TIME},     {"시간초과", T_TIME}, {"시간", T_TIME},       {"タイム", T_TIME},
    {"弃权", T_FORFEIT},  {"棄権", T_FORFEIT},  {"棄權", T_FORFEIT},  {"不戦", T_FORFEIT},    {"不戰", T_FORFEIT},
    {"不战", T_FORFEIT},  {"犯规", T_FORFEIT},  {"犯規", T_FORFEIT},  {"反則", T_FORFEIT},    {"反则", T_FORFEIT},
    {"失格", T_FORFEIT},  {"판정", T_FORFEIT},  {"判定", T_FORFEIT},  {"裁定", T_FORFEIT},    {"反칙", T_FORFEIT},
    {"반칙", T_FORFEIT},  {"기권", T_FORFEIT},  {"실격", T_FORFEIT},  {"부전", T_FORFEIT},    {"掉线", T_FORFEIT},
    {"断线", T_FORFEIT},  {"斷線", T_FORFEIT},  {"离线", T_FORFEIT},  {"접속끊김", T_FORFEIT}, {"获胜", T_WIN},
    {"獲勝", T_WIN},      {"胜利", T_WIN},      {"勝利", T_WIN},      {"胜出", T_WIN},        {"胜", T_WIN},
    {"勝ち", T_WIN},      {"勝", T_WIN},        {"かち", T_WIN},      {"赢", T_WIN},          {"贏", T_WIN},
    {"승리", T_WIN},      {"승", T_WIN},        {"负", T_LOSE},       {"負け", T_LOSE},       {"負", T_LOSE},
    {"敗れ", T_LOSE},     {"败", T_LOSE},       {"敗", T_LOSE},       {"まけ", T_LOSE},       {"输", T_LOSE},
    {"輸", T_LOSE},       {"패배", T_LOSE},     {"패", T_LOSE},
    /* statuses */
    {"和棋", T_DRAW},     {"和局", T_DRAW},     {"和碁", T_DRAW},     {"平局", T_DRAW},       {"持碁", T_DRAW},
    {"持棋", T_DRAW},     {"ジゴ", T_DRAW},     {"引き分け", T_DRAW}, {"引分け", T_DRAW},     {"引分", T_DRAW},
    {"芇", T_DRAW},       {"빅", T_DRAW},       {"비김", T_DRAW},     {"和", T_DRAW},         {"無効", T_VOID},
    {"无效", T_VOID},     {"無效", T_VOID},     {"무효", T_VOID},     {"打ち掛け", T_UNFINISHED}, {"打掛け", T_UNFINISHED},
    {"打掛", T_UNFINISHED}, {"打挂", T_UNFINISHED}, {"未完", T_UNFINISHED}, {"中断", T_UNFINISHED},
    {"中斷", T_UNFINISHED}, {"封盘", T_UNFINISHED}, {"封手", T_UNFINISHED}, {"未终", T_UNFINISHED},
    {"미완", T_UNFINISHED}, {"봉수", T_UNFINISHED}, {"중단", T_UNFINISHED}, {"不明", T_UNKNOWN}, {"不詳", T_UNKNOWN},
    {"不详", T_UNKNOWN},  {"未知", T_UNKNOWN},  {"불명", T_UNKNOWN},  {"미상", T_UNKNOWN},
    /* doubts: negations and comparisons */
    {"未", T_DOUBT},      {"没", T_DOUBT},      {"沒", T_DOUBT},      {"不", T_DOUBT},        {"非", T_DOUBT},
    {"ない", T_DOUBT},    {"아니", T_DOUBT},    {"안", T_DOUBT},      {"？", T_DOUBT},        {"或", T_DOUBT},
    {"一局", T_OTHER},
    /* the rest */
    {"手完", T_COUNT},    {"手まで", T_COUNT},  {"手", T_COUNT},      {"수만에", T_COUNT},    {"수", T_COUNT},
    {"着", T_COUNT},      {"结果", T_FILLER},   {"結果", T_FILLER},   {"결과", T_FILLER},     {"以", T_FILLER},
    {"共", T_FILLER},     {"终局", T_FILLER},   {"終局", T_FILLER},   {"まで", T_FILLER},     {"にて", T_FILLER},
    {"の", T_FILLER},     {"が", T_FILLER},     {"は", T_FILLER},     {"で", T_FILLER},       {"이", T_FILLER},
    {"가", T_FILLER},     {"은", T_FILLER},     {"의", T_FILLER},     {"で", T_FILLER},       {"ち", T_FILLER},
    {"し", T_FILLER},     {"た", T_FILLER},     {"局", T_FILLER},     {"방", T_FILLER},       {"方", T_FILLER},
    {"番", T_FILLER},     {"于", T_FILLER},
};

static token punctuation(char c) {
  switch (c) {
  case '+':
    return T_PLUS;
  case '?':
    return T_DOUBT;
  case ' ':
    return T_FILLER;
  case '.':
  case ',':
  case ';':
  case ':':
  case '(':
  case ')':
  case '[':
  case ']':
  case '!':
  case '"':
  case '\'':
  case '/':
  case '\\':
    return T_BREAK;
  default:
    return T_OTHER;
  }
}

static token latin_token(km_phrase *phrase) {
  size_t n = km_phrase_letters(phrase);
  token found = T_OTHER;
  for (size_t i = 0; i < sizeof latin_words / sizeof latin_words[0]; i++)
    if (km_phrase_is(phrase, n, latin_words[i].text)) {
      found = latin_words[i].token;
      break;
    }
  phrase->at += n;
  return found;
}

static token next_token(km_phrase *phrase, double *value) {
  if (phrase->at == phrase->end)
    return T_END;
  unsigned char c = (unsigned char)*phrase->at;
  if (c >= 'a' && c <= 'z')
    return latin_token(phrase);
  if (km_phrase_points(phrase, value))
    return T_NUMBER;
  if (c < 0x80) {
    phrase->at++;
    return punctuation((char)c);
  }
  for (size_t i = 0; i < sizeof han_words / sizeof han_words[0]; i++)
    if (km_phrase_take(phrase, han_words[i].text))
      return han_words[i].token;
  phrase->at += km_phrase_character(phrase);
  return T_OTHER;
}

/* What has been read so far. */
typedef struct reading {
  uint8_t subject;     /* colour without a verb yet, 0 none */
  uint8_t expect;      /* 1: the next colour is the winner */
  uint8_t by;          /* 1: a colour and "by" */
  unsigned winners;    /* bit 1 Black, bit 2 White */
  unsigned statuses;   /* bits of km_ending: draw, void, unfinished */
  uint8_t nothing;     /* "unknown" was said */
  uint8_t doubt;       /* not to be understood */
  uint8_t just_won;    /* the last token was a verb: an unknown word may belong to it */
  uint8_t ending;      /* first reason */
  double number;       /* first margin, NaN none */
  double last_number;  /* to be taken back when it counts moves */
} reading;

static void win(reading *r, uint8_t colour) {
  r->winners |= 1u << colour;
  r->subject = 0;
  r->by = 0;
  r->just_won = 1;
}

static void read_colour(reading *r, uint8_t colour) {
  if (r->expect) {
    r->expect = 0;
    win(r, colour);
    r->just_won = 0;
    return;
  }
  if (r->subject && r->subject != colour)
    r->doubt = 1; /* "白が黒に勝": who is the subject? */
  r->subject = colour;
}

static void read_verb(reading *r, int wins, uint8_t ending) {
  if (!r->subject) {
    r->doubt |= !r->winners; /* "won by …" after a clause adds nothing */
  } else {
    win(r, wins ? r->subject : km_opponent(r->subject));
  }
  if (ending && !r->ending)
    r->ending = ending;
}

static void read_reason(reading *r, uint8_t ending) {
  if (!r->ending)
    r->ending = ending;
  if (r->by && r->subject)
    win(r, r->subject);
}

static void read_number(reading *r, double value) {
  if (isnan(r->number)) {
    r->number = value;
    r->last_number = value;
  } else {
    r->last_number = NAN;
  }
  if (r->by && r->subject)
    win(r, r->subject);
}

/* Takes one token in; the flat switch is the grammar. */
static void read_token(reading *r, token t, double value) {
  int was_verb = r->just_won;
  if (t != T_FILLER)
    r->just_won = 0;
  switch (t) {
  case T_BLACK:
  case T_WHITE:
    read_colour(r, t == T_BLACK ? KM_BLACK : KM_WHITE);
    break;
  case T_WIN:
  case T_PLUS:
    read_verb(r, 1, 0);
    break;
  case T_LOSE:
    read_verb(r, 0, 0);
    break;
  case T_RESIGNS:
  case T_TIMES_OUT:
  case T_FORFEITS: {
    uint8_t ending = t == T_RESIGNS ? KM_ENDING_RESIGN : t == T_TIMES_OUT ? KM_ENDING_TIME : KM_ENDING_FORFEIT;
    if (r->subject)
      read_verb(r, 0, ending);
    else
      read_reason(r, ending);
    break;
  }
  case T_BY:
    r->by = r->subject != 0;
    break;
  case T_WIN_FOR:
    r->expect = 1;
    break;
  case T_RESIGN:
    read_reason(r, KM_ENDING_RESIGN);
    break;
  case T_TIME:
    read_reason(r, KM_ENDING_TIME);
    break;
  case T_FORFEIT:
    read_reason(r, KM_ENDING_FORFEIT);
    break;
  case T_DRAW:
    r->statuses |= 1u << KM_ENDING_DRAW;
    break;
  case T_VOID:
    r->statuses |= 1u << KM_ENDING_VOID;
    break;
  case T_UNFINISHED:
    r->statuses |= 1u << KM_ENDING_UNFINISHED;
    break;
  case T_UNKNOWN:
    r->nothing = 1;
    break;
  case T_DOUBT:
    r->doubt = 1;
    break;
  case T_NUMBER:
    read_number(r, value);
    break;
  case T_COUNT:
    if (r->number == r->last_number)
      r->number = r->last_number = NAN;
    break;
  case T_OTHER:
    r->doubt |= !r->winners || was_verb || r->subject;
    break;
  case T_END:
  case T_FILLER:
  case T_BREAK:
    break;
  }
}

static int finish(const reading *r, int8_t *winner, float *margin, uint8_t *ending) {
  if (r->winners == (1u << KM_BLACK | 1u << KM_WHITE) || (r->winners && r->statuses))
    return 2;
  if (r->doubt || r->expect || r->subject)
    return 1;
  if (!r->winners) {
    if (r->statuses & (1u << KM_ENDING_UNFINISHED))
      *ending = KM_ENDING_UNFINISHED;
    else if (r->statuses & (1u << KM_ENDING_VOID))
      *ending = KM_ENDING_VOID;
    else if (r->statuses) {
      *ending = KM_ENDING_DRAW;
      *winner = KM_WINNER_DRAW;
      *margin = 0;
    } else
      return !r->nothing;
    return 0;
  }
  *winner = r->winners == 1u << KM_BLACK ? KM_WINNER_BLACK : KM_WINNER_WHITE;
  *ending = r->ending;
  if (!r->ending && r->number >= 0.25 && r->number <= KM_POINT_MAX) {
    *ending = KM_ENDING_SCORE;
    *margin = (float)r->number;
  }
  return 0;
}

int km_result_parse(const char *text, size_t n_bytes, int8_t *winner, float *margin, uint8_t *ending) {
  km_phrase phrase;
  reading r = {.number = NAN, .last_number = NAN};
  double value = 0;
  *winner = KM_WINNER_UNKNOWN;
  *margin = NAN;
  *ending = KM_ENDING_UNKNOWN;
  if (km_phrase_fold(&phrase, text, n_bytes))
    return 1;
  size_t n = (size_t)(phrase.end - phrase.at);
  if (n == 0 || (n == 1 && (*phrase.at == '?' || *phrase.at == '-')))
    return 0;
  const char *start = phrase.at;
  if (km_phrase_number(&phrase, &value) && phrase.at == phrase.end && value == 0 && *start >= '.' && *start <= '9') {
    *winner = KM_WINNER_DRAW;
    *margin = 0;
    *ending = KM_ENDING_DRAW;
    return 0;
  }
  phrase.at = start;
  for (token t; (t = next_token(&phrase, &value)) != T_END;)
    read_token(&r, t, value);
  return finish(&r, winner, margin, ending);
}
