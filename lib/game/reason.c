/* reason.c: the table behind reason.h. */
#include "kifumill/reason.h"

#include <stddef.h>

static const struct {
  const char *code, *doc;
  km_reason_kind kind;
} rows[KM_REASON_COUNT] = {
    {"none", "nothing is wrong", KM_KIND_REPAIRED},
#define X(id, kind, code, doc) {code, doc, KM_KIND_##kind},
    KM_REASONS(X)
#undef X
};

static const char *const kind_names[] = {"refused", "cut", "repaired", "input"};

const char *km_reason_code(km_reason reason) { return rows[reason].code; }
const char *km_reason_doc(km_reason reason) { return rows[reason].doc; }
km_reason_kind km_reason_kind_of(km_reason reason) { return rows[reason].kind; }
const char *km_reason_kind_name(km_reason_kind kind) { return kind_names[kind]; }

unsigned km_reason_flag(km_reason reason) {
  switch (reason) {
  case KM_REASON_AFTER_END:
    return KM_FLAG_AFTER_END;
  case KM_REASON_MULTIPLE_MOVES:
    return KM_FLAG_TWO_MOVES_IN_NODE;
  case KM_REASON_MIDGAME_SETUP:
    return KM_FLAG_MIDGAME_SETUP;
  case KM_REASON_PL_MISMATCH:
    return KM_FLAG_PL_MISMATCH;
  case KM_REASON_WHITE_FIRST:
    return KM_FLAG_WHITE_FIRST;
  case KM_REASON_SAME_COLOUR:
    return KM_FLAG_SAME_COLOUR;
  case KM_REASON_HANDICAP_MISMATCH:
    return KM_FLAG_HANDICAP_MISMATCH;
  case KM_REASON_INFO_NOT_IN_ROOT:
    return KM_FLAG_INFO_NOT_IN_ROOT;
  case KM_REASON_BAD_KOMI:
    return KM_FLAG_BAD_KOMI;
  case KM_REASON_BAD_RESULT:
  case KM_REASON_RESULT_CONFLICT:
    return KM_FLAG_BAD_RESULT;
  case KM_REASON_INVALID_TEXT:
  case KM_REASON_ENCODING_MISMATCH:
    return KM_FLAG_INVALID_TEXT;
  case KM_REASON_SUPERKO_SEEN:
    return KM_FLAG_SUPERKO;
  case KM_REASON_PREFIX_COPY:
    return KM_FLAG_PREFIX_COPY;
  default:
    if (rows[reason].kind == KM_KIND_CUT)
      return KM_FLAG_CUT;
    return rows[reason].kind == KM_KIND_REPAIRED && reason != KM_REASON_NONE ? KM_FLAG_REPAIRED : 0;
  }
}
