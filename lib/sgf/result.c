/* result.c: RE in Western, Chinese, Japanese and Korean spelling → winner, margin, ending.
 *
 * The text is cut into tokens (colour, verb, reason, number, status, doubt) by tables of words, and a small
 * machine reads clauses: a colour and then a verb say who won ("黑中盘胜", "W+R", "White lost on time"). It
 * is strict where a mistake would cost the winner, and not where it would only cost the ending:
 *   - two colours before a verb, a doubt ("?", "not", 未) or an unknown word inside a clause: not understood;
 *   - words after a whole clause are ignored unless they name another winner or a status that contradicts;
 *   - two clauses that disagree are a conflict. */
#include "kifumill/metadata.h"

#include <string.h>

#include "phrase.h"

typedef enum token {
  T_END,
  T_BLACK,
  T_WHITE,
  T_WIN,
  T_LOSE,
  T_PLUS,
  T_BY,      /* "Black by 3": a win when a reason or a number follows */
  T_WIN_FOR, /* the colour that follows wins */
  T_RESIGN,  /* reasons … */
  T_TIME,
  T_FORFEIT,
  T_RESIGNS, /* … and verbs that say how their subject loses */
  T_TIMES_OUT,
  T_FORFEITS,
  T_DRAW,
  T_VOID,
  T_UNFINISHED,
  T_UNKNOWN, /* says that nothing is known */
  T_DOUBT,   /* ?, negations, comparisons */
  T_NUMBER,
  T_HALF,
  T_COUNT,  /* of moves: the number before it is no margin */
  T_COUNTS, /* nor is the one behind it: "at move 120" */
  T_KOMI,   /* nor that: "黑贴3又3/4子" */
  T_MINUS,
  T_FILLER,
  T_BREAK, /* punctuation */
  T_OTHER, /* a word of Latin letters, a sign */
  T_OTHER_HAN,
} token;

typedef struct word {
  const char *text;
  token token;
} word;

/* Several words that mean another thing than each. */
static const word latin_phrases[] = {
    {"no result", T_VOID},
    {"no winner", T_VOID},
    {"both lost", T_VOID},
    {"both lose", T_VOID},
    {"both win", T_VOID},
    {"both won", T_VOID},
    {"double loss", T_VOID},
    {"not finished", T_UNFINISHED},
    {"win for", T_WIN_FOR},
    {"victory for", T_WIN_FOR},
    {"winner:", T_WIN_FOR},
    {"winner is", T_WIN_FOR},
    {"not played", T_VOID},
    {"ran out of time", T_TIMES_OUT},
    {"no-show", T_FORFEIT},
    {"time out", T_TIME},
    {"not recorded", T_UNKNOWN},
    {"not given", T_UNKNOWN},
    {"not known", T_UNKNOWN},
    {"no info", T_UNKNOWN},
    {"left early", T_FORFEITS},
    {"no-result", T_VOID},
    {"triple ko", T_VOID},
    {"time-out", T_TIME},
    {"both players lose", T_VOID},
    {"both players lost", T_VOID},
    {"weiß", T_WHITE},
};

/* Whole runs of letters. */
static const word latin_words[] = {
    {"b", T_BLACK},
    {"w", T_WHITE},
    {"r", T_RESIGN},
    {"t", T_TIME},
    {"f", T_FORFEIT},
    {"resign", T_RESIGN},
    {"time", T_TIME},
    {"black", T_BLACK},
    {"white", T_WHITE},
    {"wins", T_WIN},
    {"won", T_WIN},
    {"win", T_WIN},
    {"loses", T_LOSE},
    {"lost", T_LOSE},
    {"lose", T_LOSE},
    {"loss", T_LOSE},
    {"by", T_BY},
    {"res", T_RESIGN},
    {"resignation", T_RESIGN},
    {"chuban", T_RESIGN},
    {"resigned", T_RESIGNS},
    {"resigns", T_RESIGNS},
    {"timeout", T_TIME},
    {"overtime", T_TIME},
    {"timed", T_TIMES_OUT},
    {"forfeit", T_FORFEIT},
    {"forfeiture", T_FORFEIT},
    {"default", T_FORFEIT},
    {"bye", T_FORFEIT},
    {"walkover", T_FORFEIT},
    {"offline", T_FORFEIT},
    {"disconnect", T_FORFEIT},
    {"disconnection", T_FORFEIT},
    {"disqualification", T_FORFEIT},
    {"illegal", T_FORFEIT},
    {"forfeits", T_FORFEITS},
    {"forfeited", T_FORFEITS},
    {"disqualified", T_FORFEITS},
    {"disconnected", T_FORFEITS},
    {"draw", T_DRAW},
    {"drawn", T_DRAW},
    {"jigo", T_DRAW},
    {"tie", T_DRAW},
    {"tied", T_DRAW},
    {"void", T_VOID},
    {"annulled", T_VOID},
    {"cancelled", T_VOID},
    {"canceled", T_VOID},
    {"suspended", T_UNFINISHED},
    {"adjourned", T_UNFINISHED},
    {"unfinished", T_UNFINISHED},
    {"interrupted", T_UNFINISHED},
    {"aborted", T_UNFINISHED},
    {"abandoned", T_UNFINISHED},
    {"incomplete", T_UNFINISHED},
    {"uchikake", T_UNFINISHED},
    {"unknown", T_UNKNOWN},
    {"none", T_UNKNOWN},
    {"not", T_DOUBT},
    {"no", T_DOUBT},
    {"never", T_DOUBT},
    {"neither", T_DOUBT},
    {"didn", T_DOUBT},
    {"doesn", T_DOUBT},
    {"maybe", T_DOUBT},
    {"perhaps", T_DOUBT},
    {"probably", T_DOUBT},
    {"likely", T_DOUBT},
    {"almost", T_DOUBT},
    {"nearly", T_DOUBT},
    {"would", T_DOUBT},
    {"should", T_DOUBT},
    {"could", T_DOUBT},
    {"or", T_DOUBT},
    {"if", T_DOUBT},
    {"unless", T_DOUBT},
    {"half", T_HALF},
    {"moves", T_COUNT},
    {"the", T_FILLER},
    {"a", T_FILLER},
    {"of", T_FILLER},
    {"game", T_FILLER},
    {"result", T_FILLER},
    {"re", T_FILLER},
    {"has", T_FILLER},
    {"is", T_FILLER},
    {"was", T_FILLER},
    {"on", T_FILLER},
    {"in", T_COUNTS},
    {"after", T_COUNTS},
    {"at", T_COUNTS},
    {"beyond", T_COUNTS},
    {"move", T_COUNTS},
    {"komi", T_KOMI},
    {"and", T_FILLER},
    {"player", T_FILLER},
    {"score", T_FILLER},
    {"through", T_FILLER},
    {"with", T_FILLER},
    /* German, French, Spanish */
    {"schwarz", T_BLACK},
    {"noir", T_BLACK},
    {"negras", T_BLACK},
    {"weiss", T_WHITE},
    {"blanc", T_WHITE},
    {"blancas", T_WHITE},
    {"gewinnt", T_WIN},
    {"gewann", T_WIN},
    {"gagne", T_WIN},
    {"ganan", T_WIN},
    {"verliert", T_LOSE},
    {"perd", T_LOSE},
    {"pierden", T_LOSE},
    {"aufgabe", T_RESIGN},
    {"abandon", T_RESIGN},
    {"abandono", T_RESIGN},
    {"zeit", T_TIME},
    {"temps", T_TIME},
    {"tiempo", T_TIME},
    {"remis", T_DRAW},
    {"nulle", T_DRAW},
    {"tablas", T_DRAW},
    {"durch", T_FILLER},
    {"mit", T_FILLER},
    {"par", T_FILLER},
    {"por", T_FILLER},
    {"de", T_FILLER},
};

/* Found anywhere; the first that fits counts, so longer ones stand before their beginnings. */
static const word han_words[] = {
    /* what holds a verb or a number and is none */
    {"无胜负", T_VOID},
    {"無勝負", T_VOID},
    {"無勝敗", T_VOID},
    {"勝負なし", T_VOID},
    {"三劫", T_VOID},
    {"三コウ", T_VOID},
    {"四劫", T_VOID},
    {"双方负", T_VOID},
    {"双负", T_VOID},
    {"雙負", T_VOID},
    {"両者負け", T_VOID},
    {"両者負", T_VOID},
    {"両負", T_VOID},
    {"全局同形", T_VOID},
    {"長生", T_VOID},
    {"长生", T_VOID},
    {"不贴目", T_FILLER},
    {"不貼目", T_FILLER},
    {"无贴目", T_FILLER},
    {"無貼目", T_FILLER},
    {"双败", T_VOID},
    {"両敗", T_VOID},
    {"무승부", T_DRAW},
    {"胜负", T_DOUBT},
    {"勝負", T_DOUBT},
    {"勝敗", T_DOUBT},
    {"胜率", T_DOUBT},
    {"勝率", T_DOUBT},
    {"胜势", T_DOUBT},
    {"勝勢", T_DOUBT},
    {"胜定", T_DOUBT},
    {"胜者", T_WIN_FOR},
    {"勝者", T_WIN_FOR},
    {"승자", T_WIN_FOR},
    {"승부", T_DOUBT},
    {"승률", T_DOUBT},
    {"勝て", T_DOUBT}, /* 勝てず, 勝てない */
    {"勝た", T_DOUBT}, /* 勝たない */
    {"以下略", T_FILLER},
    {"以下", T_FILLER},
    /* colours */
    {"黑方", T_BLACK},
    {"黑棋", T_BLACK},
    {"黑", T_BLACK},
    {"黒", T_BLACK},
    {"흑", T_BLACK},
    {"白方", T_WHITE},
    {"白棋", T_WHITE},
    {"白", T_WHITE},
    {"백", T_WHITE},
    /* reasons, and verbs that hold one */
    {"不计", T_RESIGN},
    {"不計", T_RESIGN},
    {"불계", T_RESIGN},
    {"中盘", T_RESIGN},
    {"中盤", T_RESIGN},
    {"中押し", T_RESIGN},
    {"中押", T_RESIGN},
    {"投了", T_RESIGNS},
    {"认输", T_RESIGNS},
    {"認輸", T_RESIGNS},
    {"认负", T_RESIGNS},
    {"認負", T_RESIGNS},
    {"投子", T_RESIGNS},
    {"投降", T_RESIGNS},
    {"超时", T_TIME},
    {"超時", T_TIME},
    {"時間切れ", T_TIME},
    {"時間切", T_TIME},
    {"逾时", T_TIME},
    {"逾時", T_TIME},
    {"读秒", T_TIME},
    {"讀秒", T_TIME},
    {"时间到", T_TIME},
    {"時間到", T_TIME},
    {"时间", T_TIME},
    {"時間", T_TIME},
    {"用时", T_TIME},
    {"시간초과", T_TIME},
    {"시간", T_TIME},
    {"弃权", T_FORFEIT},
    {"棄権", T_FORFEIT},
    {"棄權", T_FORFEIT},
    {"不戦", T_FORFEIT},
    {"不戰", T_FORFEIT},
    {"不战", T_FORFEIT},
    {"犯规", T_FORFEIT},
    {"犯規", T_FORFEIT},
    {"反則", T_FORFEIT},
    {"反则", T_FORFEIT},
    {"违例", T_FORFEIT},
    {"違例", T_FORFEIT},
    {"失格", T_FORFEIT},
    {"裁定", T_FORFEIT},
    {"判定", T_FORFEIT},
    {"判", T_FORFEIT},
    {"반칙", T_FORFEIT},
    {"기권", T_FORFEIT},
    {"몰수", T_FORFEIT},
    {"缺席", T_FORFEITS},
    {"실격", T_FORFEIT},
    {"부전", T_FORFEIT},
    {"판정", T_FORFEIT},
    {"掉线", T_FORFEIT},
    {"断线", T_FORFEIT},
    {"斷線", T_FORFEIT},
    {"离线", T_FORFEIT},
    /* verbs */
    {"获胜", T_WIN},
    {"獲勝", T_WIN},
    {"胜利", T_WIN},
    {"勝利", T_WIN},
    {"胜出", T_WIN},
    {"胜", T_WIN},
    {"勝ち", T_WIN},
    {"勝", T_WIN},
    {"赢", T_WIN},
    {"贏", T_WIN},
    {"승리", T_WIN},
    {"승", T_WIN},
    {"负", T_LOSE},
    {"負け", T_LOSE},
    {"負", T_LOSE},
    {"败", T_LOSE},
    {"敗", T_LOSE},
    {"输", T_LOSE},
    {"輸", T_LOSE},
    {"패배", T_LOSE},
    {"패", T_LOSE},
    /* statuses */
    {"和棋", T_DRAW},
    {"和局", T_DRAW},
    {"和碁", T_DRAW},
    {"平局", T_DRAW},
    {"平棋", T_DRAW},
    {"平手", T_DRAW},
    {"持碁", T_DRAW},
    {"持棋", T_DRAW},
    {"ジゴ", T_DRAW},
    {"引き分け", T_DRAW},
    {"引分け", T_DRAW},
    {"引分", T_DRAW},
    {"芇", T_DRAW},
    {"빅", T_DRAW},
    {"비김", T_DRAW},
    {"和", T_DRAW},
    {"無効", T_VOID},
    {"无效", T_VOID},
    {"無效", T_VOID},
    {"무효", T_VOID},
    {"打ち掛け", T_UNFINISHED},
    {"打掛け", T_UNFINISHED},
    {"打ち掛", T_UNFINISHED},
    {"打掛", T_UNFINISHED},
    {"打挂", T_UNFINISHED},
    {"未完", T_UNFINISHED},
    {"未终", T_UNFINISHED},
    {"中断", T_UNFINISHED},
    {"中斷", T_UNFINISHED},
    {"封盘", T_UNFINISHED},
    {"封手", T_UNFINISHED},
    {"미완", T_UNFINISHED},
    {"봉수", T_UNFINISHED},
    {"중단", T_UNFINISHED},
    {"不明", T_UNKNOWN},
    {"不詳", T_UNKNOWN},
    {"不详", T_UNKNOWN},
    {"未知", T_UNKNOWN},
    {"未詳", T_UNKNOWN},
    {"불명", T_UNKNOWN},
    {"미상", T_UNKNOWN},
    /* doubts */
    {"未", T_DOUBT},
    {"没", T_DOUBT},
    {"沒", T_DOUBT},
    {"不", T_DOUBT},
    {"非", T_DOUBT},
    {"或", T_DOUBT},
    {"ない", T_DOUBT},
    {"아니", T_DOUBT},
    {"안", T_DOUBT},
    {"못", T_DOUBT},
    /* Russian; the folded texts have no capitals and no ё */
    {"черные", T_BLACK},
    {"белые", T_WHITE},
    {"черных", T_BLACK},
    {"белых", T_WHITE},
    {"победа", T_WIN_FOR},
    {"победили", T_WIN},
    {"выиграли", T_WIN},
    {"проиграли", T_LOSE},
    {"сдались", T_RESIGNS},
    {"просрочили", T_TIMES_OUT},
    {"сдачей", T_RESIGN},
    {"сдача", T_RESIGN},
    {"времени", T_TIME},
    {"время", T_TIME},
    {"ничья", T_DRAW},
    {"очков", T_FILLER},
    {"очка", T_FILLER},
    {"очко", T_FILLER},
    {"по ", T_FILLER},
    {"на ", T_FILLER},
    {"не ", T_DOUBT},
    {"ч", T_BLACK},
    {"б", T_WHITE},
    /* the rest */
    {"贴目", T_KOMI},
    {"貼目", T_KOMI},
    {"贴", T_KOMI},
    {"貼", T_KOMI},
    {"コミ", T_KOMI},
    {"덤", T_KOMI},
    {"目数", T_COUNT},
    {"手完", T_COUNT},
    {"手", T_COUNT},
    {"수만에", T_COUNT},
    {"수", T_COUNT},
    {"着", T_COUNT},
    {"结果", T_FILLER},
    {"結果", T_FILLER},
    {"결과", T_FILLER},
    {"终局", T_FILLER},
    {"終局", T_FILLER},
    {"まで", T_FILLER},
    {"にて", T_FILLER},
    {"以", T_FILLER},
    {"共", T_COUNTS},
    {"全", T_COUNTS},
    {"第", T_COUNTS},
    {"双方", T_FILLER},
    {"雙方", T_FILLER},
    {"比赛", T_FILLER},
    {"比賽", T_FILLER},
    {"对局", T_FILLER},
    {"對局", T_FILLER},
    {"本局", T_FILLER},
    {"循环", T_FILLER},
    {"循環", T_FILLER},
    {"再现", T_FILLER},
    {"再現", T_FILLER},
    {"于", T_FILLER},
    {"番", T_FILLER},
    {"번", T_FILLER},
    {"の", T_FILLER},
    {"が", T_FILLER},
    {"は", T_FILLER},
    {"で", T_FILLER},
    {"ち", T_FILLER},
    {"이", T_FILLER},
    {"가", T_FILLER},
    {"은", T_FILLER},
    {"의", T_FILLER},
};

static token punctuation(char c) {
  if (c == '+')
    return T_PLUS;
  if (c == '-')
    return T_MINUS;
  if (c == '?')
    return T_DOUBT;
  if (c == ' ')
    return T_FILLER;
  return c && strchr(".,;:()[]{}!\"'/\\", c) ? T_BREAK : T_OTHER;
}

static token take_word(km_phrase *phrase, const word *words, size_t n_words) {
  for (size_t i = 0; i < n_words; i++)
    if (km_phrase_take(phrase, words[i].text))
      return words[i].token;
  return T_END;
}

static token latin_token(km_phrase *phrase) {
  const char *start = phrase->at;
  token found = take_word(phrase, latin_phrases, sizeof latin_phrases / sizeof latin_phrases[0]);
  if (found != T_END && km_phrase_letters(phrase) == 0)
    return found;
  phrase->at = start;
  size_t n = km_phrase_letters(phrase);
  found = T_OTHER;
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
  if (c >= 0x80) {
    token found = take_word(phrase, han_words, sizeof han_words / sizeof han_words[0]);
    if (found != T_END)
      return found;
  }
  if (km_phrase_points(phrase, value))
    return T_NUMBER;
  phrase->at += km_phrase_character(phrase);
  return c < 0x80 ? punctuation((char)c) : T_OTHER_HAN;
}

/* What has been read so far. */
typedef struct reading {
  uint8_t subject;   /* colour without a verb yet, 0 none */
  uint8_t reasoned;  /* a reason stands behind the subject */
  uint8_t by;        /* "by" stands behind the subject */
  uint8_t expect;    /* the next colour is the winner */
  uint8_t loser;     /* "黑超时，…": the colour is no winner */
  unsigned winners;  /* bits 1 << colour */
  unsigned statuses; /* bits 1 << km_ending: draw, void, unfinished */
  uint8_t nothing;   /* "unknown" was said */
  uint8_t doubt;     /* not to be understood */
  uint8_t just_won;  /* the last token was an East Asian verb: an unknown character may belong to it */
  uint8_t not_next;  /* the next number is no margin */
  uint8_t on_moves;  /* what follows is about moves or points: "moves beyond 147 not known" */
  token last;        /* the token before, fillers left out */
  token verb;        /* the last verb since the last break: T_WIN, T_LOSE or T_END */
  uint8_t ending;    /* the first one named */
  double margin;     /* NaN none */
  uint8_t counting;  /* the last token was the number that margin is: it may turn out to count moves */
} reading;

static int is_margin(double v) {
  return v >= 0.25 && v <= KM_POINT_MAX;
}

static void win(reading *r, uint8_t colour) {
  r->winners |= 1u << colour;
  r->subject = r->reasoned = r->by = r->expect = 0;
}

static void read_colour(reading *r, uint8_t colour) {
  if (r->expect) {
    win(r, colour);
    return;
  }
  if (r->subject && r->subject != colour)
    r->doubt = 1; /* "白が黒に勝": who is the subject? */
  r->subject = colour;
  r->reasoned = r->by = 0;
}

static void read_verb(reading *r, int wins) {
  token verb = wins ? T_WIN : T_LOSE;
  if (r->subject)
    win(r, wins ? r->subject : km_opponent(r->subject));
  else if (!r->winners || (r->verb != T_END && r->verb != verb))
    r->doubt = 1; /* "won by …" behind a whole clause adds nothing, "B+lost" says two things */
  r->verb = verb;
}

static void read_plus(reading *r) {
  r->doubt |= r->winners && !r->subject && r->last == T_OTHER; /* "B+ResignW+Resign": whose plus? */
  read_verb(r, 1);
}

/* "黑贴3又3/4子": tells the komi, not who won. */
static void read_komi(reading *r) {
  if (!r->reasoned)
    r->subject = 0;
  r->not_next = 1;
}

static void read_reason(reading *r, uint8_t ending) {
  if (!r->ending)
    r->ending = ending;
  r->reasoned = r->subject != 0;
  if (r->by)
    win(r, r->subject);
}

/* "resigns": the subject loses; without one a mere reason ("W+R, resigned"). */
static void read_losing_verb(reading *r, uint8_t ending) {
  int has_subject = r->subject != 0;
  read_reason(r, ending);
  if (has_subject)
    read_verb(r, 0);
}

static void read_number(reading *r, double value) {
  int is_first = isnan(r->margin);
  if (r->by)
    win(r, r->subject);
  if (!is_first)
    return;
  r->margin = value;
  r->counting = 1;
  if (r->winners && !r->ending && is_margin(value))
    r->ending = KM_ENDING_SCORE;
}

static void read_count(reading *r) {
  if (!r->counting)
    return;
  r->margin = NAN;
  if (r->ending == KM_ENDING_SCORE)
    r->ending = 0;
}

/* "黑超时，白胜": at the comma Black is done with. */
static void read_break(reading *r) {
  r->verb = T_END;
  r->on_moves = 0;
  if (r->subject && r->reasoned) {
    r->loser |= (uint8_t)(1u << r->subject);
    r->subject = r->reasoned = 0;
  }
}

/* Whether a colour waits for its verb that is not the winner by what was read before. */
static int has_other_subject(const reading *r) {
  return r->subject && r->winners != 1u << r->subject;
}

/* Takes one token in. */
static void read_token(reading *r, token t, double value) {
  uint8_t was_verb = r->just_won, was_counting = r->counting, is_not_margin = r->not_next;
  if (t == T_FILLER)
    return;
  r->just_won = r->counting = r->not_next = 0;
  switch (t) {
  case T_BLACK:
  case T_WHITE:
    read_colour(r, t == T_BLACK ? KM_BLACK : KM_WHITE);
    break;
  case T_WIN:
  case T_LOSE:
    read_verb(r, t == T_WIN);
    r->just_won = 1;
    break;
  case T_PLUS:
    read_plus(r);
    break;
  case T_MINUS:
    r->doubt |=
        r->last == T_PLUS || !r->winners || has_other_subject(r); /* "W+-2.5" may be meant as a loss */
    break;
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
  case T_RESIGNS:
    read_losing_verb(r, KM_ENDING_RESIGN);
    break;
  case T_TIMES_OUT:
    read_losing_verb(r, KM_ENDING_TIME);
    break;
  case T_FORFEITS:
    read_losing_verb(r, KM_ENDING_FORFEIT);
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
    r->nothing |= !r->on_moves || !r->winners;
    break;
  case T_COUNTS:
    r->not_next = 1;
    break;
  case T_KOMI:
    read_komi(r);
    break;
  case T_NUMBER:
  case T_HALF:
    if (is_not_margin)
      break;
    read_number(r, t == T_HALF ? 0.5 : value);
    break;
  case T_COUNT:
    r->counting = was_counting;
    read_count(r);
    r->on_moves = 1;
    break;
  case T_BREAK:
    read_break(r);
    break;
  case T_DOUBT:
    r->doubt = 1;
    break;
  case T_OTHER:
    r->doubt |= !r->winners || has_other_subject(r);
    break;
  case T_OTHER_HAN:
    r->doubt |= !r->winners || has_other_subject(r) || was_verb;
    break;
  case T_END:
  case T_FILLER:
    break;
  }
  r->last = t;
}

static int status_result(const reading *r, int8_t *winner, float *margin, uint8_t *ending) {
  switch (r->statuses) {
  case 1u << KM_ENDING_DRAW:
    *winner = KM_WINNER_DRAW;
    *margin = 0;
    *ending = KM_ENDING_DRAW;
    return 0;
  case 1u << KM_ENDING_VOID:
    *ending = KM_ENDING_VOID;
    return 0;
  case 1u << KM_ENDING_UNFINISHED:
    *ending = KM_ENDING_UNFINISHED;
    return 0;
  case 0:
    return !r->nothing;
  default:
    return 2;
  }
}

static int finish(const reading *r, int8_t *winner, float *margin, uint8_t *ending) {
  if (r->winners == (1u << KM_BLACK | 1u << KM_WHITE) || (r->winners && (r->statuses || r->nothing)) ||
      (r->winners & r->loser))
    return 2;
  if (r->doubt || r->expect || has_other_subject(r) || (r->loser && !r->winners))
    return 1;
  if (!r->winners)
    return status_result(r, winner, margin, ending);
  *winner = r->winners == 1u << KM_BLACK ? KM_WINNER_BLACK : KM_WINNER_WHITE;
  *ending = !r->ending && is_margin(r->margin) ? KM_ENDING_SCORE : r->ending;
  if (*ending == KM_ENDING_SCORE)
    *margin = (float)r->margin;
  return 0;
}

/* "0", "0.0" and "0目" are draws; no other lone number says anything. */
static int is_zero(km_phrase *phrase) {
  const char *start = phrase->at;
  double value;
  int zero = *start >= '0' && *start <= '9' && km_phrase_points(phrase, &value) &&
             phrase->at == phrase->end && value == 0;
  phrase->at = start;
  return zero;
}

/* "B+R", "W+12.5" and the like, as programs write them: nearly all records. 1 when it was one. */
static int read_common(const char *text, size_t n_bytes, int8_t *winner, float *margin, uint8_t *ending) {
  static const struct {
    const char *text;
    uint8_t n_bytes, ending;
  } common[] = {{"R", 1, KM_ENDING_RESIGN},  {"Resign", 6, KM_ENDING_RESIGN},
                {"Time", 4, KM_ENDING_TIME}, {"T", 1, KM_ENDING_TIME},
                {"F", 1, KM_ENDING_FORFEIT}, {"Forfeit", 7, KM_ENDING_FORFEIT}};
  if (n_bytes < 3 || (text[0] != 'B' && text[0] != 'W') || text[1] != '+')
    return 0;
  int8_t by_letter = text[0] == 'B' ? KM_WINNER_BLACK : KM_WINNER_WHITE;
  double value;
  if (km_plain_number(text + 2, n_bytes - 2, &value) == n_bytes - 2) {
    *winner = by_letter;
    if (is_margin(value)) {
      *margin = (float)value;
      *ending = KM_ENDING_SCORE;
    }
    return 1;
  }
  for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
    if (common[i].n_bytes == n_bytes - 2 && memcmp(text + 2, common[i].text, n_bytes - 2) == 0) {
      *winner = by_letter;
      *ending = common[i].ending;
      return 1;
    }
  return 0;
}

int km_result_parse(const char *text, size_t n_bytes, int8_t *winner, float *margin, uint8_t *ending) {
  km_phrase phrase;
  reading r = {.margin = NAN};
  double value = 0;
  *winner = KM_WINNER_UNKNOWN;
  *margin = NAN;
  *ending = KM_ENDING_UNKNOWN;
  if (read_common(text, n_bytes, winner, margin, ending))
    return 0;
  if (km_phrase_fold(&phrase, text, n_bytes))
    return 1;
  size_t n = (size_t)(phrase.end - phrase.at);
  if (n == 0 || (n == 1 && (*phrase.at == '?' || *phrase.at == '-')))
    return 0;
  if (is_zero(&phrase)) {
    *winner = KM_WINNER_DRAW;
    *margin = 0;
    *ending = KM_ENDING_DRAW;
    return 0;
  }
  for (token t; (t = next_token(&phrase, &value)) != T_END;)
    read_token(&r, t, value);
  return finish(&r, winner, margin, ending);
}
