/* charset.c: the price of reading bytes in an encoding. See charset.h.
 *
 * The prices are rounded −log2 of shares in game records: 256 frequent characters share half of the text, the
 * first level of a national standard (which lists the common characters) most of the rest. */
#include "charset.h"

#include <string.h>

/* Frequent in names, events, dates and results of game records, in any order; Chinese of both writings and
 * Japanese. */
static const char frequent_han[] =
    "一二三四五六七八九十百千段级級局第届屆回期年月日时時分秒子目手先白黑黒胜勝负負中盘盤押持棋碁围圍囲名人本"
    "因坊聖圣王座天元战戰戦赛賽杯决決冠军軍优優组組队隊联聯甲乙全国國际際世界亚亞洲欧美韩韓朝鲜鮮台湾灣北京上"
    "海东東西南川广廣州江苏蘇浙杭山河安徽湖省市县縣区區都大小高新老青少女男士职職业業余餘友谊誼挑者快超网網络"
    "絡对對抗邀请請循环環预預选選半轮輪李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱林何郭马馬罗羅梁宋郑鄭谢謝唐"
    "冯馮于於董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂卢盧蒋蔣蔡贾賈丁魏薛叶葉阎潘杜戴夏锺鐘汪田任姜范方石姚谭廖邹熊金"
    "陆陸郝孔崔康毛邱秦史顾顧侯邵孟龙龍万萬漕钱錢汤湯尹黎易常武乔喬贺賀赖賴龚龔文朴芮柯古党檀连連聂聶昊孝哲俊"
    "华華伟偉杰傑志明建强強平波勇涛濤峰锋鋒磊斌宇浩鹏鵬飞飛翔云雲雷光辉輝春秋冬花兰蘭丽麗红紅玉梅英芳敏静靜雪"
    "晨曦思远遠睿瑞祥福德永成功信义義仁和清源鸿鴻洋涵瑜鑫森木水火土心星阳陽晓曉廷毅博学學书書画畫诗詩道法自然"
    "风風流无無有不是的在了来來去我你他她它们們这這那个個下左右前后後里外内內开開关關门門口足头頭耳身体體生死"
    "长長短多好坏爱愛恨情仇剑劍刀侠俠客神仙佛魔鬼帝皇将將兵狼虎豹猫貓狗鸡雞鸟鳥鱼魚虫蟲羊牛兔蛇猴猪鼠鹰鷹凤鳳"
    "龟龜鹤鶴松竹菊荷莲蓮桃杏沙冰雨电電霜露虹藤井村橋伊佐加渡辺斎吉野原谷坂島崎岡丸橘結城依紀治勲彦夫雄樹秀介"
    "也郎哉吾朗正宏弘昭幸恵香奈由祐裕之知行芝羽根栩宮栄寿格岩達杉納倉昇淡路修聞社催毎読売経富通農災應氏応豊豐"
    "銀保險险公司视視晋敗败未完打掛挂封間切限读讀位番合会會果结规则規則贴貼让讓授置定互倒计解说說講讲评評記记"
    "录錄狐弈浪绝藝艺阵陣腾讯奇迷复復研究实實教师師弟徒院智力运動动運为以要用到作地出就可主发同工能过产种面而"
    "所民得经进着等部度家如化理起物现量两制机当使点从把性应还其些政事形相表间样与各重线数反看又么利比或但质气"
    "向命此变条只没问意系很最立代想已并提直题展料象员革入总次品式活设及管特件求基资边图统接较见别角论农指几放"
    "被干做必取据处";

static const char frequent_hangul[] =
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구나민진지엄채원천방공현함변"
    "염여추도소석선설마길연위표명기반라왕금옥육인맹모탁국준영수호희은경미재상동훈철용태승열혁규환창일병종대식"
    "광덕근범욱빈율아람보름솔슬예결본제바둑프로단급삼화농엘춘란응씨중온시간초읽덤집패불계흑회리그팀맥커피후생"
    "해타젬넷블게사버체관교실세챔언컵개에의는을를과와까만다저것들무부효년월판번째면친각등록";

static int is_letter(unsigned char c) {
  return (c | 32) >= 'a' && (c | 32) <= 'z';
}

size_t km_utf8_character(const char *bytes, const char *limit) {
  const unsigned char *p = (const unsigned char *)bytes;
  size_t n_left = (size_t)(limit - bytes);
  if (p[0] < 0x80)
    return 1;
  if (p[0] < 0xc2 || p[0] > 0xf4 || n_left < 2 || (p[1] & 0xc0) != 0x80)
    return 0;
  if (p[0] < 0xe0)
    return 2;
  if (n_left < 3 || (p[2] & 0xc0) != 0x80)
    return 0;
  if (p[0] < 0xf0)
    return (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ? 0 : 3;
  if (n_left < 4 || (p[3] & 0xc0) != 0x80 || (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
    return 0;
  return 4;
}

/* Code point of a valid character of n bytes. */
static uint32_t code_point(const char *bytes, size_t n) {
  const unsigned char *p = (const unsigned char *)bytes;
  uint32_t c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
  for (size_t i = 1; i < n; i++)
    c = c << 6 | (p[i] & 0x3fu);
  return c;
}

static void add_frequent(km_frequent *frequent, const char *text) {
  const char *end = text + strlen(text);
  for (size_t n; text < end; text += n) {
    n = km_utf8_character(text, end);
    uint32_t c = code_point(text, n);
    frequent->bits[c >> 3] |= (uint8_t)(1u << (c & 7));
  }
}

void km_frequent_init(km_frequent *frequent) {
  memset(frequent, 0, sizeof *frequent);
  add_frequent(frequent, frequent_han);
  add_frequent(frequent, frequent_hangul);
}

static int is_frequent(const km_frequent *frequent, uint32_t c) {
  return c < 0x10000 && frequent->bits[c >> 3] >> (c & 7) & 1;
}

const char *km_stretch_end(const char *at, const char *end) {
  while (at < end) {
    if ((signed char)*at >= 0 && (*at == 0 || at + 1 == end || (signed char)at[1] >= 0))
      return *at == 0 ? at : at + 1;
    at++;
  }
  return end;
}

void km_sample_take(km_sample *sample, const char *bytes, size_t n_bytes) {
  const char *p = bytes, *end = bytes + n_bytes;
  sample->n_bytes = sample->n_high = 0;
  while (p < end && sample->n_bytes < KM_SAMPLE_MAX) {
    if ((signed char)*p >= 0) {
      p++;
      continue;
    }
    const char *from = p > bytes && is_letter((unsigned char)p[-1]) ? p - 1 : p;
    p = km_stretch_end(p, end);
    size_t n = (size_t)(p - from), room = KM_SAMPLE_MAX - sample->n_bytes;
    n = n < room ? n : room;
    memcpy(sample->bytes + sample->n_bytes, from, n);
    sample->n_bytes += n;
    for (size_t i = 0; i < n; i++)
      sample->n_high += (signed char)from[i] < 0;
  }
}

enum { BITS_ASCII = 4, BITS_BROKEN = 24, BITS_DAMAGED = 12 };

/* Whether the standard lists the character at p among the common ones; by its bytes. */
static int is_first_level(km_encoding_id id, const unsigned char *p, size_t n) {
  if (n != 2)
    return 0;
  switch (id) {
  case KM_ENC_GB18030:
    return p[0] >= 0xb0 && p[0] <= 0xd7 && p[1] >= 0xa1;
  case KM_ENC_BIG5:
    return p[0] >= 0xa4 && p[0] <= 0xc6;
  case KM_ENC_SHIFT_JIS:
    return (p[0] >= 0x89 && p[0] <= 0x97) || (p[0] == 0x88 && p[1] >= 0x9f) || (p[0] == 0x98 && p[1] <= 0x72);
  case KM_ENC_EUC_JP:
    return p[0] >= 0xb0 && p[0] <= 0xcf;
  case KM_ENC_CP949:
    return p[0] >= 0xb0 && p[0] <= 0xc8 && p[1] >= 0xa1;
  default:
    return 0;
  }
}

/* Bits of an East Asian character. */
static double wide_bits(km_encoding_id id, uint32_t c, int first_level, const km_frequent *frequent) {
  int japanese = id == KM_ENC_SHIFT_JIS || id == KM_ENC_EUC_JP,
      korean = id == KM_ENC_CP949 || id == KM_ENC_JOHAB;
  if (is_frequent(frequent, c))
    return korean && c < 0xac00 ? 13 : 8.5;
  if (c >= 0x3041 && c <= 0x30ff)
    return japanese || id == KM_ENC_UTF8 ? 6.5 : 13;
  if (first_level || (id == KM_ENC_UTF8 && c >= 0x4e00 && c < 0x9fa6))
    return 12.5;
  if (c >= 0xac00 && c <= 0xd7a3)
    return 15;
  if ((c >= 0x3000 && c <= 0x3015) || (c >= 0xff01 && c <= 0xff5e))
    return 10;
  if (c >= 0xff61 && c <= 0xff9f)
    return 11;
  if (c >= 0xe000 && c <= 0xf8ff)
    return BITS_BROKEN;
  return 17;
}

static int is_latin(uint32_t c) {
  return c >= 0xc0 && c < 0x250 && c != 0xd7 && c != 0xf7;
}

/* Bits of a character of one byte, or of two in UTF-8. in_word: whether a Latin letter stands next to it. */
static double narrow_bits(uint32_t c, int in_word) {
  if (is_latin(c))
    return in_word ? 7 : 13;
  if (c >= 0x370 && c < 0x1000)
    return 7;
  if ((c >= 0x2010 && c <= 0x2026) || c == 0xb7 || c == 0xb0 || (c >= 0xbc && c <= 0xbe) || c == 0xa0 ||
      c == 0xb4)
    return 9;
  return c < 0xa0 ? BITS_BROKEN : 13;
}

/* Bytes of the character at p in an encoding of several bytes, by its lead. */
static size_t lead_length(km_encoding_id id, const unsigned char *p, size_t n_left) {
  switch (id) {
  case KM_ENC_GB18030:
    return n_left >= 2 && p[1] >= 0x30 && p[1] <= 0x39 ? 4 : 2;
  case KM_ENC_SHIFT_JIS:
    return p[0] >= 0xa0 && p[0] <= 0xdf ? 1 : 2;
  case KM_ENC_EUC_JP:
    return p[0] == 0x8f ? 3 : 2;
  default:
    return 2;
  }
}

/* Converts one character; its code point, or 0 when the bytes are none. */
static uint32_t convert_one(iconv_t cd, const char *p, size_t n) {
  char in[8], out[16], *from = in, *to = out;
  size_t n_from = n, n_to = sizeof out;
  memcpy(in, p, n);
  if (iconv(cd, &from, &n_from, &to, &n_to) == (size_t)-1) {
    iconv(cd, NULL, NULL, NULL, NULL);
    return 0;
  }
  size_t length = to > out ? km_utf8_character(out, to) : 0;
  return length ? code_point(out, length) : 0;
}

static double utf8_bits(const char *p, const char *end, size_t *n, const km_frequent *frequent) {
  *n = km_utf8_character(p, end);
  if (*n == 0) {
    *n = 1;
    return BITS_DAMAGED;
  }
  uint32_t c = code_point(p, *n);
  return *n == 2 ? narrow_bits(c, 1) + 2 : wide_bits(KM_ENC_UTF8, c, 0, frequent);
}

/* Bits of the character at p, of *n bytes, in an encoding of several bytes. */
static double cjk_bits(km_encoding_id id, iconv_t cd, const char *p, const char *end, size_t *n,
                       const km_frequent *frequent) {
  const unsigned char *u = (const unsigned char *)p;
  size_t n_left = (size_t)(end - p);
  *n = lead_length(id, u, n_left);
  *n = *n < n_left ? *n : n_left;
  uint32_t c = convert_one(cd, p, *n);
  if (!c) {
    *n = 1;
    return BITS_BROKEN;
  }
  return wide_bits(id, c, is_first_level(id, u, *n), frequent);
}

double km_charset_cost(const km_sample *sample, km_encoding_id id, iconv_t cd, const km_frequent *frequent) {
  const char *p = sample->bytes, *end = p + sample->n_bytes;
  double bits = 0;
  int in_word = 0;
  if (id != KM_ENC_UTF8 && cd == (iconv_t)-1)
    return KM_COST_MAX;
  int cjk = (km_encoding_flags(id) & KM_ENC_CJK) != 0;
  for (size_t n; p < end; p += n) {
    n = 1;
    if ((signed char)*p >= 0) {
      bits += BITS_ASCII;
      in_word = is_letter((unsigned char)*p);
    } else if (id == KM_ENC_UTF8) {
      bits += utf8_bits(p, end, &n, frequent);
    } else if (cjk) {
      bits += cjk_bits(id, cd, p, end, &n, frequent);
    } else {
      uint32_t c = convert_one(cd, p, 1);
      in_word = in_word || (end - p > 1 && is_letter((unsigned char)p[1]));
      bits += c ? narrow_bits(c, in_word) : BITS_BROKEN;
      in_word = in_word && is_latin(c);
    }
  }
  bits -= BITS_ASCII * (double)(sample->n_bytes - sample->n_high);
  return bits / (double)(sample->n_high ? sample->n_high : 1);
}
