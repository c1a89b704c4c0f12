/* encoding.c: the table of encodings and their names, and the cache of iconv converters.
 *
 * Programs write names as they please, so names are compared by letters and digits alone. Where an encoding
 * has a superset in general use, the superset is meant: GB2312 and GBK are read as GB18030, EUC-KR as CP949,
 * Shift_JIS as CP932, ISO-8859-1 as windows-1252. A converter is only used when it maps printable ASCII to
 * itself. */
#include "encoding.h"

#include <stdint.h>
#include <string.h>

static const struct {
  const char *name, *iconv_name;
  unsigned flags;
} encodings[KM_ENC_COUNT] = {
    [KM_ENC_UTF8] = {"UTF-8", "UTF-8", 0},
    [KM_ENC_ASCII] = {"US-ASCII", "US-ASCII", 0},
    [KM_ENC_UTF16LE] = {"UTF-16LE", "UTF-16LE", KM_ENC_WIDE | KM_ENC_HIDES},
    [KM_ENC_UTF16BE] = {"UTF-16BE", "UTF-16BE", KM_ENC_WIDE | KM_ENC_HIDES},
    [KM_ENC_UTF32LE] = {"UTF-32LE", "UTF-32LE", KM_ENC_WIDE | KM_ENC_HIDES},
    [KM_ENC_UTF32BE] = {"UTF-32BE", "UTF-32BE", KM_ENC_WIDE | KM_ENC_HIDES},
    [KM_ENC_GB18030] = {"GB18030", "GB18030", KM_ENC_CJK | KM_ENC_HIDES},
    [KM_ENC_BIG5] = {"BIG5", "BIG5", KM_ENC_CJK | KM_ENC_HIDES},
    [KM_ENC_SHIFT_JIS] = {"SHIFT_JIS", "CP932", KM_ENC_CJK | KM_ENC_HIDES},
    [KM_ENC_EUC_JP] = {"EUC-JP", "EUC-JP-MS", KM_ENC_CJK},
    [KM_ENC_CP949] = {"CP949", "CP949", KM_ENC_CJK},
    [KM_ENC_JOHAB] = {"JOHAB", "JOHAB", KM_ENC_CJK | KM_ENC_HIDES},
    [KM_ENC_CP1250] = {"WINDOWS-1250", "CP1250", 0},
    [KM_ENC_CP1251] = {"WINDOWS-1251", "CP1251", 0},
    [KM_ENC_CP1252] = {"WINDOWS-1252", "CP1252", 0},
    [KM_ENC_CP1253] = {"WINDOWS-1253", "CP1253", 0},
    [KM_ENC_CP1254] = {"WINDOWS-1254", "CP1254", 0},
    [KM_ENC_CP1258] = {"WINDOWS-1258", "CP1258", 0},
    [KM_ENC_LATIN2] = {"ISO-8859-2", "ISO-8859-2", 0},
    [KM_ENC_CYRILLIC] = {"ISO-8859-5", "ISO-8859-5", 0},
    [KM_ENC_LATIN9] = {"ISO-8859-15", "ISO-8859-15", 0},
    [KM_ENC_KOI8_R] = {"KOI8-R", "KOI8-R", 0},
    [KM_ENC_MACINTOSH] = {"MACINTOSH", "MACINTOSH", 0},
    [KM_ENC_THAI] = {"TIS-620", "TIS-620", 0},
    [KM_ENC_ISO_2022_JP] = {"ISO-2022-JP", "ISO-2022-JP-2", KM_ENC_STATEFUL | KM_ENC_HIDES},
    [KM_ENC_ISO_2022_KR] = {"ISO-2022-KR", "ISO-2022-KR", KM_ENC_STATEFUL | KM_ENC_HIDES},
};

/* Letters and digits of the name, upper case. */
static const struct {
  const char *key;
  km_encoding_id id;
} aliases[] = {
    {"UTF8", KM_ENC_UTF8},
    {"UNICODE11UTF8", KM_ENC_UTF8},
    {"USASCII", KM_ENC_ASCII},
    {"ASCII", KM_ENC_ASCII},
    {"ANSIX341968", KM_ENC_ASCII},
    {"ISO646US", KM_ENC_ASCII},
    {"UTF16", KM_ENC_UTF16LE},
    {"UTF16LE", KM_ENC_UTF16LE},
    {"UNICODE", KM_ENC_UTF16LE},
    {"UCS2", KM_ENC_UTF16LE},
    {"UTF16BE", KM_ENC_UTF16BE},
    {"UTF32", KM_ENC_UTF32LE},
    {"UTF32LE", KM_ENC_UTF32LE},
    {"UTF32BE", KM_ENC_UTF32BE},
    {"GB18030", KM_ENC_GB18030},
    {"GB2312", KM_ENC_GB18030},
    {"GB231280", KM_ENC_GB18030},
    {"GB", KM_ENC_GB18030},
    {"GBK", KM_ENC_GB18030},
    {"CP936", KM_ENC_GB18030},
    {"MS936", KM_ENC_GB18030},
    {"936", KM_ENC_GB18030},
    {"WINDOWS936", KM_ENC_GB18030},
    {"EUCCN", KM_ENC_GB18030},
    {"XGBK", KM_ENC_GB18030},
    {"CSGB2312", KM_ENC_GB18030},
    {"BIG5", KM_ENC_BIG5},
    {"BIG5HKSCS", KM_ENC_BIG5},
    {"BIGFIVE", KM_ENC_BIG5},
    {"CNBIG5", KM_ENC_BIG5},
    {"XXBIG5", KM_ENC_BIG5},
    {"CP950", KM_ENC_BIG5},
    {"MS950", KM_ENC_BIG5},
    {"950", KM_ENC_BIG5},
    {"WINDOWS950", KM_ENC_BIG5},
    {"SHIFTJIS", KM_ENC_SHIFT_JIS},
    {"XSHIFTJIS", KM_ENC_SHIFT_JIS},
    {"SJIS", KM_ENC_SHIFT_JIS},
    {"XSJIS", KM_ENC_SHIFT_JIS},
    {"CP932", KM_ENC_SHIFT_JIS},
    {"MS932", KM_ENC_SHIFT_JIS},
    {"932", KM_ENC_SHIFT_JIS},
    {"MSKANJI", KM_ENC_SHIFT_JIS},
    {"WINDOWS31J", KM_ENC_SHIFT_JIS},
    {"WINDOWS932", KM_ENC_SHIFT_JIS},
    {"CSSHIFTJIS", KM_ENC_SHIFT_JIS},
    {"EUCJP", KM_ENC_EUC_JP},
    {"XEUCJP", KM_ENC_EUC_JP},
    {"UJIS", KM_ENC_EUC_JP},
    {"EUC", KM_ENC_EUC_JP},
    {"EUCKR", KM_ENC_CP949},
    {"XEUCKR", KM_ENC_CP949},
    {"CP949", KM_ENC_CP949},
    {"MS949", KM_ENC_CP949},
    {"949", KM_ENC_CP949},
    {"UHC", KM_ENC_CP949},
    {"WINDOWS949", KM_ENC_CP949},
    {"KSC5601", KM_ENC_CP949},
    {"KSC56011987", KM_ENC_CP949},
    {"KSX1001", KM_ENC_CP949},
    {"KOREAN", KM_ENC_CP949},
    {"JOHAB", KM_ENC_JOHAB},
    {"CP1361", KM_ENC_JOHAB},
    {"WINDOWS1250", KM_ENC_CP1250},
    {"CP1250", KM_ENC_CP1250},
    {"WINDOWS1251", KM_ENC_CP1251},
    {"CP1251", KM_ENC_CP1251},
    {"WINDOWS1252", KM_ENC_CP1252},
    {"CP1252", KM_ENC_CP1252},
    {"ISO88591", KM_ENC_CP1252},
    {"88591", KM_ENC_CP1252},
    {"LATIN1", KM_ENC_CP1252},
    {"L1", KM_ENC_CP1252},
    {"ISOLATIN1", KM_ENC_CP1252},
    {"ANSI", KM_ENC_CP1252},
    {"WINDOWS1253", KM_ENC_CP1253},
    {"CP1253", KM_ENC_CP1253},
    {"ISO88597", KM_ENC_CP1253},
    {"WINDOWS1254", KM_ENC_CP1254},
    {"CP1254", KM_ENC_CP1254},
    {"ISO88599", KM_ENC_CP1254},
    {"WINDOWS1258", KM_ENC_CP1258},
    {"CP1258", KM_ENC_CP1258},
    {"ISO88592", KM_ENC_LATIN2},
    {"LATIN2", KM_ENC_LATIN2},
    {"ISO88595", KM_ENC_CYRILLIC},
    {"ISO885915", KM_ENC_LATIN9},
    {"LATIN9", KM_ENC_LATIN9},
    {"KOI8R", KM_ENC_KOI8_R},
    {"KOI8", KM_ENC_KOI8_R},
    {"MACINTOSH", KM_ENC_MACINTOSH},
    {"MACROMAN", KM_ENC_MACINTOSH},
    {"XMACROMAN", KM_ENC_MACINTOSH},
    {"MAC", KM_ENC_MACINTOSH},
    {"TIS620", KM_ENC_THAI},
    {"ISO885911", KM_ENC_THAI},
    {"ISO2022JP", KM_ENC_ISO_2022_JP},
    {"JIS", KM_ENC_ISO_2022_JP},
    {"CSISO2022JP", KM_ENC_ISO_2022_JP},
    {"ISO2022KR", KM_ENC_ISO_2022_KR},
};

static int is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

km_encoding_id km_encoding_find(const char *name) {
  char key[24];
  size_t n = 0;
  int odd = 0;
  for (; *name; name++) {
    if (is_alphanumeric(*name)) {
      if (n == sizeof key - 1)
        return KM_ENC_NONE;
      key[n++] = (char)(*name >= 'a' ? *name - 32 : *name);
    } else {
      odd |= !strchr("-_.:+ ;\"'", *name);
    }
  }
  key[n] = 0;
  for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
    if (strcmp(key, aliases[i].key) == 0)
      return aliases[i].id;
  return n == 0 || odd ? KM_ENC_NONE : KM_ENC_OTHER;
}

const char *km_encoding_name(km_encoding_id id) {
  return encodings[id].name;
}

unsigned km_encoding_flags(km_encoding_id id) {
  return id < KM_ENC_COUNT ? encodings[id].flags : KM_ENC_HIDES | KM_ENC_STATEFUL;
}

void km_converters_init(km_converters *converters) {
  for (int i = 0; i <= KM_ENC_COUNT; i++)
    converters->open[i] = (iconv_t)-1;
  converters->other[0] = 0;
}

void km_converters_clear(km_converters *converters) {
  for (int i = 0; i <= KM_ENC_COUNT; i++)
    if (converters->open[i] != (iconv_t)-1)
      iconv_close(converters->open[i]);
  km_converters_init(converters);
}

/* Whether printable ASCII comes out as it went in. */
static int keeps_ascii(iconv_t cd) {
  char in[95], out[sizeof in + 8], *p = in, *q = out;
  size_t n_in = sizeof in, n_out = sizeof out;
  for (size_t i = 0; i < sizeof in; i++)
    in[i] = (char)(' ' + i);
  return iconv(cd, &p, &n_in, &q, &n_out) != (size_t)-1 && (size_t)(q - out) == sizeof in &&
         memcmp(in, out, sizeof in) == 0;
}

static iconv_t open_checked(const char *name) {
  iconv_t cd = iconv_open("UTF-8", name);
  if (cd != (iconv_t)-1 && !keeps_ascii(cd)) {
    iconv_close(cd);
    cd = (iconv_t)-1;
  }
  return cd;
}

iconv_t km_converters_get(km_converters *converters, km_encoding_id id, const char *name) {
  iconv_t *cd = &converters->open[id];
  if (id == KM_ENC_OTHER) {
    if (strlen(name) >= sizeof converters->other)
      return (iconv_t)-1;
    if (strcmp(name, converters->other) != 0) {
      if (*cd != (iconv_t)-1)
        iconv_close(*cd);
      strcpy(converters->other, name);
      *cd = open_checked(name);
    }
  } else if (*cd == (iconv_t)-1) {
    *cd = open_checked(encodings[id].iconv_name);
  }
  if (*cd != (iconv_t)-1)
    iconv(*cd, NULL, NULL, NULL, NULL);
  return *cd;
}
