/* test_sgf_cases.c: every fault of tests/cases that concerns reading, and every repair of the reader, with its exact
 * outcome: moves, set-up, facts, findings and their byte positions, written as sgf_describe.h says.
 *
 * Where CASES.md leaves a choice: two results that disagree are unknown (P25); all blanks in a move go (P17); a blank GM
 * is Go (P56); "B+0" is Black's win without a margin (P39); a '(;)' without any property is no game (P51). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sgf_describe.h"

static const struct {
  const char *name, *expected;
} cases[] = {
    {"D01",
     "#1 9x9: Bcc Wgg Bcg Wgc Bee = B resign komi 6.5 PB \"P1\" PW \"P2\"\n"
     "#2 9x9: Bcc Wgg Bcg Wgc Bee = B resign komi 6.5 PB \"P1\" PW \"P2\"\n"},
    {"D04",
     "#1 9x9: Bab Wba Bee\n"
     "#2 9x9: Bcd Wdc Bee\n"
     "#3 9x9: Bfg Wgf Bee\n"
     "#4 9x9: Bhi Wih Bee\n"
     "#5 9x9: Bbd Wdb Bee\n"
     "#6 9x9: Bcg Wgc Bee\n"
     "#7 9x9: Bdh Whd Bee\n"
     "#8 9x9: Bei Wie Bee\n"
     "#9 9x9: Bag Wga Bee\n"
     "#10 9x9: Bbf Wfb Bee\n"},
    {"D07",
     "#1 9x9: Bie Wce Bag Wee Beg = B resign komi 6.5\n"
     "#2 9x9: refused !not_go@65\n"
     "#3 9x9: Bdb Web Bia Wfe Bhg Whh Bgg = B resign komi 6.5\n"
     "#4 9x9: Bbh Wfe Bic Wai Bab Wgg Bgd Wii Bdf = B resign komi 6.5\n"},
    {"P01",
     "#1 9x9: Bee Wgc Bcg = W resign PB \"P1\" PW \"P2\" !stray_byte@26\n"},
    {"P03",
     "#1 9x9: Bcc Wgg\n"},
    {"P04",
     "#1 9x9: Bcc Wgg Bcg = B resign PB \"P1\" PW \"P2\" !unterminated_tree@54\n"},
    {"P06",
     "#1 9x9: Bcc Wgg\n"
     "input !garbage_outside_tree@0 !garbage_outside_tree@103\n"},
    {"P07",
     "#1 9x9: Bcc Wgg\n"},
    {"P09",
     "#1 19x19: Bcc Wgg !missing_semicolon@1\n"
     "#2 9x9: Bcc Wgg PB \"P1\" !missing_semicolon@16\n"},
    {"P11",
     "#1 9x9: Bcc Wgg PB \"P1\"\n"},
    {"P13",
     "#1 9x9: Bcc Wgg\n"
     "#2 9x9: Bdd\n"},
    {"P14",
     "#1 9x9: Bcc Wgg Bcg Wgc\n"},
    {"P15",
     "#1 9x9: Bcc Wgg B = B score 4 komi 5.5 PB \"P1\" PW \"P2\"\n"},
    {"P16",
     "#1 9x9: Bcc Wgg\n"},
    {"P17",
     "#1 9x9: Bcc Wgg Bcg W B !blank_in_point@11 !blank_in_point@19 !blank_move@35 !blank_move@41\n"},
    {"P18",
     "#1 19x19: B Wdd\n"
     "#2 20x20: Btt Wdd\n"
     "#3 9x9: B Wdd\n"
     "#4 21x21: B Wtt Buu\n"},
    {"P20",
     "#1 9x9: Bcc W??bad Bgg\n"},
    {"P21",
     "#1 19x19: B?? Wpp\n"
     "#2 30x30: BDD Wdd\n"},
    {"P22",
     "#1 9x9: Wee / 0:Bbb 0:Bcb 0:Bbc 0:Bcc 0:Bbd 0:Bcd 0:Bgg 0:Weh 0:Wfh 0:Wgh 0:Whh 0:Waa\n"},
    {"P24",
     "#1 9x9: Wgc / 0:Bcc 0:Bgg 0:Bcg 0:Wee 0:Wef !duplicate_property@13 !duplicate_property@19 "
     "!duplicate_property@31\n"},
    {"P25",
     "#1 9x9: Bcc komi 6.5 !duplicate_property@21 !duplicate_property@28 !result_conflict@28\n"},
    {"P26",
     "#1 9x9: Wgg Bcc Bcg Wgc !white_first@8 !multiple_moves_in_node@13 !same_colour@19 "
     "!multiple_moves_in_node@24\n"},
    {"P27",
     "#1 9x9: Bee Wgc / 0:Bcc 0:Wgg !mixed_setup_and_move@7\n"},
    {"P29",
     "#1 9x9: Wee / 0:Bcc 0:Bgg 0:Wgc 0:Wcg\n"
     "#2 9x9: Bee / 0:Bcc 0:Bgg 0:Wgc 0:Wcg\n"
     "#3 9x9: Wee / 0:Bcc 0:Bgg 0:Wgc 0:Wcg !pl_mismatch@100\n"},
    {"P30",
     "#1 9x9: Bgg Wcg Bgc / 0:Bcc\n"},
    {"P31",
     "#1 9x9: Wee Bcc Wgg = W resign komi 0.5 HA 2 PB \"P1\" PW \"P2\" !handicap_without_stones@12\n"},
    {"P34",
     "#1 9x9: Bcc Wgg\n"},
    {"P36",
     "#1 9x9: Bcc Wgg = B resign PB \"P1\" PW \"P2\" !bad_komi@7\n"},
    {"P39",
     "#1 9x9: Bcc = B resign\n"
     "#2 9x9: Bcc = W resign\n"
     "#3 9x9: Bcc = B time\n"
     "#4 9x9: Bcc = W time\n"
     "#5 9x9: Bcc = B forfeit\n"
     "#6 9x9: Bcc = B unknown\n"
     "#7 9x9: Bcc = W score 0.5\n"
     "#8 9x9: Bcc = B score 12.5\n"
     "#9 9x9: Bcc = B score 3.5\n"
     "#10 9x9: Bcc = B score 2.5\n"
     "#11 9x9: Bcc = draw draw 0\n"
     "#12 9x9: Bcc = draw draw 0\n"
     "#13 9x9: Bcc = draw draw 0\n"
     "#14 9x9: Bcc = ? void\n"
     "#15 9x9: Bcc\n"
     "#16 9x9: Bcc\n"
     "#17 9x9: Bcc = W resign\n"
     "#18 9x9: Bcc = B score 3.25\n"
     "#19 9x9: Bcc = B unknown\n"
     "#20 9x9: Bcc = W score 4.5\n"},
    {"P41",
     "#1 9x9: Bcc Wgg komi 6.5 PB \"P1\" PW \"P2\" EV \"测试\" in GB18030 !encoding_mismatch@2\n"},
    {"P42",
     "#1 19x19: Bqd Wdd = B resign PB \"P1\" PW \"P2\" EV \"棋聖\" in SHIFT_JIS\n"},
    {"P44",
     "#1 9x9: Bcc Wgg PB \"P1\"\n"
     "#2 13x13: Bdd PB \"P2\"\n"
     "#3 19x19: Bpd Wdp Bpp PB \"P3\"\n"},
    {"P46",
     "#1 9x9: Bcc Wgg PB \"P1\"\n"
     "#2 9x9: Bdd W??bad PB \"P2\" !property_without_value@62 !stray_byte@63 !empty_identifier@64\n"
     "#3 9x9: Bff Wdd PB \"P3\"\n"
     "#4 9x9: Bgg Wcc PB \"P4\"\n"},
    {"P47",
     "#1 9x9: Bcc Wgg Bcg Wgc Bee\n"},
    {"P50",
     "#1 9x9: Bcc Wgg = B score 5.5 PB \"P1\"\n"
     "#2 9x9: Bcc = W resign PB \"P1\" !info_not_in_root@69\n"},
    {"P51",
     "input !no_game_found@0\n"},
    {"P52",
     "input !empty_member@0\n"},
    {"P53",
     "#1 9x9: Bcc Wgg !property_without_value@7 !property_without_value@10 !property_without_value@18 "
     "!property_without_value@21\n"},
    {"P55",
     "#1 13x9: Bmi Wma Bai Waa B??\n"},
    {"P56",
     "#1 8x8: refused !not_go@2\n"
     "#2 11x11: refused !not_go@27\n"
     "#3 9x9: Bcc\n"
     "#4 9x9: Bdd\n"
     "#5 9x9: Bee !property_without_value@87\n"},
    {"P57",
     "#1 9x9: / 0:Bcc 0:Bgg 0:Wee to play W !no_moves@0\n"},
    {"P59",
     "input !not_sgf@0\n"},
    {"P60",
     "#1 9x9: Bcc Wgg\n"},
    {"R01",
     "#1 9x9: Bcc Wgg Bgg Wcg\n"},
    {"R02",
     "#1 9x9: Bdc Wec Bcd Wfd Bde Wee Baa Wdd Bed Wdd Bgg = B resign komi 6.5\n"},
    {"R03",
     "#1 9x9: Bdc Wec Bcd Wfd Bde Wee Baa Wdd Bed Wgg Bcg Wdd B Wed = B resign komi 6.5\n"},
    {"R04",
     "#1 9x9: Bac Wab Bbc Wbb Bcb Wca Bba Waa Bba\n"},
    {"R07",
     "#1 9x9: Bab Wee Bba Waa Bgg\n"},
    {"R08",
     "#1 9x9: Bac Waa Bbb Wee Bba Wab Bgg\n"},
    {"R10",
     "#1 9x9: Bca Wba Bbb Wab Bac Wee Baa\n"},
    {"R12",
     "#1 9x9: Wcc Bgg Wcg !white_first@8\n"},
    {"R13",
     "#1 9x9: Bcc Bgg Wee Wcg Bgc = B resign !same_colour@21\n"},
    {"R14",
     "#1 9x9: Bcc W?? Bgg\n"
     "#2 9x9: Bcc W??bad Bgg\n"},
    {"R15",
     "#1 9x9: Bcc Wgg B W Bcg Wgc end 4 = B score 3.5\n"},
    {"R18",
     "#1 9x9: Bdc Wec Bcd Wfd Bde Wee Baa Wdd Bed Wdd! Bgg = B resign komi 6.5\n"},
    {"T11",
     "#1 9x9: Bee = draw draw 0 komi 7\n"
     "#2 9x9: Bee = ? void\n"
     "#3 9x9: Bee\n"
     "#4 9x9: Bee\n"},
    {"T19",
     "#1 9x9: Bcc Wgg\n"
     "#2 9x9: Wee / 0:Bcc 0:Bgg HA 2\n"},
};

static void test_cases(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[64];
    size_t n;
    snprintf(path, sizeof path, "tests/cases/inputs/%s.sgf", cases[i].name);
    char *bytes = sgf_read_file(path, &n);
    char *found = sgf_describe(bytes, n, NULL);
    if (strcmp(found, cases[i].expected) != 0)
      fail_msg("%s: expected\n%sfound\n%s", cases[i].name, cases[i].expected, found);
    free(found);
    free(bytes);
  }
}

static const struct {
  const char *name, *input, *expected;
} repairs[] = {
    {"lost ] in a name",
     "(;GM[1]SZ[9]PB[Honinbo?PW[Meijin]KM[6.5];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg komi 6.5 PB \"Honinbo?\" PW \"Meijin\" !unterminated_value@14\n"},
    {"lost ] without a trace",
     "(;GM[1]SZ[9]PB[Lee SedolPW[Gu Li]KM[6.5];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg komi 6.5 PB \"Lee Sedol\" PW \"Gu Li\" !unterminated_value@14\n"},
    {"lost ] before the first move",
     "(;GM[1]SZ[9]PB[P1]PW[P2;B[cc];W[gg])",
     "#1 9x9: Bcc Wgg PB \"P1\" PW \"P2\" !unterminated_value@20\n"},
    {"lost ] in a comment",
     "(;SZ[9];B[cc]C[0.39 0.61 0.00 -9.3 v=600;W[gg]C[0.40 0.60 0.00 -8.0 v=600 weight=0.75];B[cg])",
     "#1 9x9: Bcc Wgg Bcg eval 1:0.61 eval 2:0.6 !unterminated_value@14\n"},
    {"lost ] in a move",
     "(;SZ[9];B[cc;W[gg];B[cg])",
     "#1 9x9: Bcc Wgg Bcg !unterminated_value@9\n"},
    {"lost ] in a move in capitals",
     "(;SZ[40];B[CCW[gg];B[cg])",
     "#1 40x40: BCC Wgg Bcg !unterminated_value@10 !multiple_moves_in_node@13\n"},
    {"two lost ]",
     "(;SZ[9]C[one;B[cc;W[gg];B[cg])",
     "#1 9x9: Bcc Wgg Bcg !unterminated_value@8 !unterminated_value@14\n"},
    {"lost ] in set-up",
     "(;SZ[9]AB[cc][gg;W[ee];B[cg])",
     "#1 9x9: Wee Bcg / 0:Bcc 0:Bgg !unterminated_value@13\n"},
    {"lost ] in SZ",
     "(;GM[1]SZ[9KM[6.5];B[cc])",
     "#1 9x9: Bcc komi 6.5 !unterminated_value@9\n"},
    {"lost ] at the end of a game",
     "(;SZ[9];B[cc];W[gg)\n(;GM[1]SZ[9];B[dd])",
     "#1 9x9: Bcc Wgg !unterminated_value@15\n"
     "#2 9x9: Bdd\n"},
    {"lost ] of a comment at the end of a game",
     "(;SZ[9];B[cc];W[gg]C[bye :)\n)\n(;GM[1]SZ[9];B[dd])",
     "#1 9x9: Bcc Wgg !unterminated_value@20\n"
     "#2 9x9: Bdd\n"
     "input !garbage_outside_tree@28\n"},
    {"lost ] of a game before one without GM",
     "(;SZ[9]PB[P1];B[cc];W[gg)(;PB[P3]SZ[9];B[dd])",
     "#1 9x9: Bcc Wgg PB \"P1\" !unterminated_value@21\n"
     "#2 9x9: Bdd PB \"P3\"\n"},
    {"\\ swallows ]",
     "(;SZ[9]PB[P1\\]PW[P2];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg PB \"P1\" PW \"P2\" !unterminated_value@9\n"},
    {"\\ swallows ] before a move",
     "(;SZ[9]PB[P1\\];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg PB \"P1\" !unterminated_value@9\n"},
    {"\\ swallows the last ]",
     "(;SZ[9];B[cc];W[gg]C[x\\])\n(;SZ[9];B[dd])",
     "#1 9x9: Bcc Wgg !unterminated_value@20\n"
     "#2 9x9: Bdd\n"},
    {"value cut by the end",
     "(;SZ[9];B[cc];W[gg];B[c",
     "#1 9x9: Bcc Wgg !unterminated_value@21 !unterminated_tree@23\n"},
    {"value cut behind a point",
     "(;SZ[9];B[cc];W[gg];B[cg",
     "#1 9x9: Bcc Wgg Bcg !unterminated_value@21 !unterminated_tree@24\n"},
    {"value cut, parentheses there",
     "(;SZ[9];B[cc];W[gg];B[cg)",
     "#1 9x9: Bcc Wgg Bcg !unterminated_value@21 !unterminated_tree@25\n"},
    {"value cut before a point",
     "(;SZ[9];B[cc];W[",
     "#1 9x9: Bcc !unterminated_value@15 !unterminated_tree@16\n"},
    {"comment cut by the end",
     "(;SZ[9];B[cc];W[gg]C[and so",
     "#1 9x9: Bcc Wgg !unterminated_value@20 !unterminated_tree@27\n"},
    {"lost [ of a move",
     "(;SZ[9];B[cc];Wgg];B[cg])",
     "#1 9x9: Bcc Wgg Bcg !missing_bracket@14\n"},
    {"text with brackets",
     "(;SZ[9]PB[Lee [9p] Sedol]C[see [1] and [2k]: fine];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg PB \"Lee [9p\" !stray_byte@19 !stray_byte@35\n"},
    {"unescaped brackets and parentheses in text",
     "(;SZ[9]C[a [3d]: hi :) (ok; really)];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg !stray_byte@15\n"},
    {"a name of a property before brackets in text",
     "(;SZ[9]PW[AB[3d]]PB[C[4k]];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg PB \"C[4k\" PW \"AB[3d\" !stray_byte@16 !stray_byte@25\n"},
    {"properties quoted in a comment",
     "(;SZ[9]C[use AB[dd\\] or ;B[ee\\] here];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg\n"},
    {"a ) too many",
     "(;SZ[9];B[cc];W[gg]);B[cg];W[gc])",
     "#1 9x9: Bcc Wgg Bcg Wgc !stray_byte@19\n"},
    {"a ) too many, text behind it",
     "(;SZ[9];B[cc]C[a [b]) c];W[gg];B[cg])",
     "#1 9x9: Bcc Wgg Bcg !stray_byte@20\n"},
    {"a ( too many",
     "((;SZ[9];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg\n"
     "input !garbage_outside_tree@0\n"},
    {"a ( too many before the next game",
     "(;SZ[9](;B[cc];W[gg])\n(;GM[1]SZ[9];B[dd])",
     "#1 9x9: Bcc Wgg !unterminated_tree@21\n"
     "#2 9x9: Bdd !glued_game@22\n"},
    {"missing ) between games",
     "(;GM[1]SZ[9];B[cc];W[gg]\n(;GM[1]SZ[9];B[dd])\n(;GM[1]SZ[9];B[ee])",
     "#1 9x9: Bcc Wgg !unterminated_tree@24\n"
     "#2 9x9: Bdd !glued_game@25\n"
     "#3 9x9: Bee\n"},
    {"missing ) between games without GM",
     "(;PB[P1]SZ[9];B[cc];W[gg]\n(;PB[P2];B[dd];W[pp])",
     "#1 9x9: Bcc Wgg PB \"P1\" !unterminated_tree@25\n"
     "#2 19x19: Bdd Wpp PB \"P2\" !glued_game@26\n"},
    {"missing )( between games",
     "(;GM[1]SZ[9];B[cc];W[gg]\n;GM[1]SZ[9];B[dd])",
     "#1 9x9: Bcc Wgg !unterminated_tree@24\n"
     "#2 9x9: Bdd !missing_parenthesis@25 !glued_game@25\n"},
    {"missing )( with a name",
     "(;EV[x]PB[P1]SZ[9];B[cc];W[gg]\n;EV[x]PB[P2];B[dd])",
     "#1 9x9: Bcc Wgg PB \"P1\" EV \"x\" !unterminated_tree@30\n"
     "#2 19x19: Bdd PB \"P2\" EV \"x\" !missing_parenthesis@31 !glued_game@31\n"},
    {"missing ) inside variations",
     "(;GM[1]SZ[9];B[cc](;W[gg];B[cg])(;W[gc]\n(;GM[1]SZ[9];B[dd])",
     "#1 9x9: Bcc Wgg Bcg !unterminated_tree@39\n"
     "#2 9x9: Bdd !glued_game@40\n"},
    {"missing (",
     ";GM[1]SZ[9]PB[P1];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg PB \"P1\" !missing_parenthesis@0\n"},
    {"missing ( of the second game",
     "(;GM[1]SZ[9];B[cc])\n;GM[1]SZ[9];B[dd])",
     "#1 9x9: Bcc\n"
     "#2 9x9: Bdd !missing_parenthesis@20\n"},
    {"missing (;",
     "GM[1]SZ[9]PB[P1];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg PB \"P1\" !missing_parenthesis@0 !missing_semicolon@0\n"},
    {"starts in the middle",
     ";B[cc];W[gg];B[cg])",
     "#1 19x19: Bcc Wgg Bcg !missing_parenthesis@0\n"},
    {"braces around",
     "{(;GM[1]SZ[9];B[cc];W[gg])}",
     "#1 9x9: Bcc Wgg\n"
     "input !garbage_outside_tree@0 !garbage_outside_tree@26\n"},
    {"all games in one (",
     "((;GM[1]SZ[9];B[cc])(;GM[1]SZ[9];B[dd]))",
     "#1 9x9: Bcc\n"
     "#2 9x9: Bdd\n"
     "input !garbage_outside_tree@0 !garbage_outside_tree@39\n"},
    {"an empty root with variations",
     "(;(;B[cc];W[gg])(;B[dd]))",
     "#1 19x19: Bcc Wgg\n"},
    {"game information in the variations",
     "(;FF[4]EV[x](;PB[P1];B[cc];W[gg])(;PB[P2];B[dd]))",
     "#1 19x19: Bcc Wgg PB \"P1\" EV \"x\" !info_not_in_root@14\n"},
    {"glued, no space",
     "(;SZ[9];B[cc])(;SZ[9];B[dd])",
     "#1 9x9: Bcc\n"
     "#2 9x9: Bdd\n"},
    {"a wink before the game",
     "Hello (; as I said\n(;GM[1]SZ[9];B[cc])",
     "#1 9x9: Bcc\n"
     "input !garbage_outside_tree@0\n"},
    {"text with brackets before the game",
     "see [1] (note) and a;b\n(;GM[1]SZ[9];B[cc]) done (;",
     "#1 9x9: Bcc\n"
     "input !garbage_outside_tree@0 !garbage_outside_tree@43\n"},
    {"property with a digit",
     "(;GM[1]SZ[9]5A[7]PB[P1];B[cc])",
     "#1 9x9: Bcc PB \"P1\" !stray_byte@12\n"},
    {"renju",
     "(;5A[6]PW[P1]SZ[15];B[hh];W[hi])",
     "#1 15x15: refused !not_go@0 !stray_byte@2\n"},
    {"titles of Asian servers",
     "(\nTE[LG]\nRD[2021-02-04]\nHD[0]\nKM[6.5]\nPB[P1]\nPW[P2]\n;B[qd];W[dc])",
     "#1 19x19: Bqd Wdc komi 6.5 PB \"P1\" PW \"P2\" EV \"LG\" !missing_semicolon@2\n"},
    {"empty pair",
     "(;SZ[9];B[cc]();W[gg])",
     "#1 9x9: Bcc Wgg !stray_byte@13\n"},
    {"nodes behind a variation",
     "(;SZ[9];B[cc](;W[gg])(;W[gc]);B[cg])",
     "#1 9x9: Bcc Wgg !stray_byte@29\n"},
    {"text in parentheses inside a tree",
     "(;SZ[9] (JST) ;B[cc];W[gg])",
     "#1 9x9: Bcc Wgg !stray_byte@8\n"},
    {"setup before size",
     "(;AB[cc]SZ[9];W[gg])",
     "#1 9x9: Wgg / 0:Bcc\n"},
    {"size behind the moves",
     "(;GM[1];B[cc];W[gg]SZ[9])",
     "#1 9x9: Bcc Wgg !info_not_in_root@19\n"},
    {"SZ forms",
     "(;SZ[19x19];B[cc])(;SZ[ 9 ];B[cc])(;SZ[13 : "
     "9];B[cc])(;SZ[];B[cc])(;SZ[x];B[cc])(;SZ[53];B[cc])(;SZ[0];B[cc])(;SZ[52];B[ZZ])(;SZ[9:9];B[cc])",
     "#1 19x19: Bcc\n"
     "#2 9x9: Bcc\n"
     "#3 13x9: Bcc\n"
     "#4 19x19: Bcc !property_without_value@55\n"
     "#5 19x19: refused !bad_size@68\n"
     "#6 19x19: refused !bad_size@82\n"
     "#7 19x19: refused !bad_size@97\n"
     "#8 52x52: BZZ\n"
     "#9 9x9: Bcc\n"},
    {"GM forms",
     "(;GM[01];B[cc])(;GM[Go];B[cc])(;GM[1 ];B[cc])(;GM[4];B[cc])(;GM[Chess];B[cc])",
     "#1 19x19: Bcc\n"
     "#2 19x19: Bcc\n"
     "#3 19x19: Bcc\n"
     "#4 19x19: refused !not_go@47\n"
     "#5 19x19: refused !not_go@61\n"},
    {"pass in other spellings",
     "(;SZ[13:20];B[tt];W[])(;SZ[19:19];B[tt];W[])",
     "#1 13x20: B?? W\n"
     "#2 19x19: B W\n"},
    {"a second value of a move",
     "(;SZ[9];B[cc][dd];W[gg])",
     "#1 9x9: Bcc Wgg !duplicate_property@13\n"},
    {"same move twice in a node",
     "(;SZ[9];B[cc]B[dd];W[gg])",
     "#1 9x9: Bcc Bdd Wgg !multiple_moves_in_node@13 !same_colour@13\n"},
    {"setup cleared and overwritten",
     "(;SZ[9]AB[aa:cc]AE[bb]AW[cc];W[gg])",
     "#1 9x9: Wgg / 0:Baa 0:Bba 0:Bca 0:Bab 0:.bb 0:Bcb 0:Bac 0:Bbc 0:Wcc\n"},
    {"setup off the board",
     "(;SZ[9]AB[cc][jj][hh:kk][x];W[gg])",
     "#1 9x9: Wgg / 0:Bcc 0:Bhh 0:Bih 0:Bhi 0:Bii !setup_offboard@14 !setup_offboard@18 !setup_offboard@25\n"},
    {"mid-game setup",
     "(;SZ[9];B[cc];AE[cc]AB[dd]PL[W];W[gg];AW[ee])",
     "#1 9x9: Bcc Wgg / 1:.cc 1:Bdd 2:Wee !midgame_setup@13\n"},
    {"PL last",
     "(;SZ[9];B[cc];PL[B])",
     "#1 9x9: Bcc to play B\n"},
    {"PL beside a move",
     "(;SZ[9];B[cc];W[gg]PL[B];B[cg])(;SZ[9];B[cc];W[gg]PL[W];B[cg])",
     "#1 9x9: Bcc Wgg Bcg\n"
     "#2 9x9: Bcc Wgg Bcg\n"},
    {"two PL",
     "(;SZ[9]PL[W];B[cc]PL[B];B[gg];PL[B];W[cg])",
     "#1 9x9: Bcc Bgg Wcg !pl_mismatch@7 !same_colour@24\n"},
    {"RE behind the last move",
     "(;SZ[9];B[cc];W[gg];RE[W+R])",
     "#1 9x9: Bcc Wgg = W resign !info_not_in_root@20\n"},
    {"RE twice, one says nothing",
     "(;SZ[9]RE[?];B[cc];W[gg];RE[W+R])",
     "#1 9x9: Bcc Wgg = W resign !duplicate_property@25\n"},
    {"RE twice the same",
     "(;SZ[9]RE[W+R];B[cc];W[gg];RE[W+R])",
     "#1 9x9: Bcc Wgg = W resign\n"},
    {"RE twice, alike",
     "(;SZ[9]RE[W+R]RE[W+Resign];B[cc])",
     "#1 9x9: Bcc = W resign !duplicate_property@14\n"},
    {"AP twice",
     "(;AP[a]AP[b]SZ[9];B[cc])",
     "#1 9x9: Bcc\n"},
    {"white first with PL",
     "(;SZ[9]PL[W];W[cc];B[gg])",
     "#1 9x9: Wcc Bgg\n"},
    {"white first with a handicap",
     "(;SZ[9]HA[2]AB[cc][gg];W[cg];B[gc])",
     "#1 9x9: Wcg Bgc / 0:Bcc 0:Bgg HA 2\n"},
    {"HA[0] with stones",
     "(;SZ[9]HA[0]AB[cc][gg];W[cg];B[gc])",
     "#1 9x9: Wcg Bgc / 0:Bcc 0:Bgg !handicap_without_stones@7\n"},
    {"HA[1] is none",
     "(;SZ[9]HA[1];B[cc];W[gg])",
     "#1 9x9: Bcc Wgg HA 1\n"},
    {"end by two passes only once",
     "(;SZ[9];B[cc];W[];B[gg];W[];B[];W[];B[])",
     "#1 9x9: Bcc W Bgg W B W B end 5\n"},
    {"KO on a node of a move",
     "(;SZ[9];KO[]B[cc];W[gg])",
     "#1 9x9: Bcc! Wgg\n"},
    {"win-rates",
     "(;SZ[9]C[x];B[cc]C[0.25 0.75 0.00 -9.3 v=600 weight=0.75];SBKV[39.23]W[gg])",
     "#1 9x9: Bcc Wgg eval 1:0.75 eval 2:0.3923\n"},
    {"lower-case name",
     "(;SZ[9];b[cc];W[gg])",
     "#1 9x9: Bcc Wgg !lowercase_name@8\n"},
    {"lower-case name behind a value", /* the rest of a text */
     "(;SZ[9];B[cc]C[see] b[dd] there];W[gg])",
     "#1 9x9: Bcc Wgg !stray_byte@20\n"},
    {"text escapes",
     "(;SZ[9]PB[a\\]b\\\\c\\:d\\\r\ne\tf\ng ]EV[ \n ];B[cc])",
     "#1 9x9: Bcc PB \"a]b\\c:de f g\" EV \"\"\n"},
    {"only blanks",
     " \r\n\t",
     "input !no_game_found@0\n"},
    {"JSON",
     "{\"sgf\": \"none\"}",
     "input !not_sgf@0\n"},
    {"GIB",
     "\\HS\r\n\\[GIBOKIND=Global\\]\r\nSTO 0 2 1 3 3\r\n",
     "input !not_sgf@0\n"},
    {"UGF",
     "[Header]\nTitle=x\n[Data]\nQD,B1,1,0\n",
     "input !not_sgf@0\n"},
    {"HTML with a game",
     "<html><pre>(;GM[1]SZ[9];B[cc];W[gg])</pre></html>",
     "#1 9x9: Bcc Wgg\n"
     "input !garbage_outside_tree@0 !garbage_outside_tree@36\n"},
    {"mail",
     "From: P1\nSubject: (;-) B[1]\n\n(;GM[1]SZ[9];B[cc];W[gg])\n-- \n(JST) ;)\n",
     "#1 9x9: Bcc Wgg\n"
     "input !garbage_outside_tree@0 !garbage_outside_tree@55\n"},
    {"extra ] and [",
     "(;SZ[9]];B[cc]];[x];W[gg])",
     "#1 9x9: Bcc Wgg !stray_byte@7 !stray_byte@14 !empty_identifier@16\n"},
    {"missing (; behind a variation", "(;GM[1]SZ[9](;B[cc];W[gg])GM[1]SZ[9];B[dd])",
     "#1 9x9: Bcc Wgg !unterminated_tree@26\n"
     "#2 9x9: Bdd !missing_parenthesis@26 !missing_semicolon@26 !glued_game@26\n"},
    {"missing )( in a variation", "(;GM[1]SZ[9](;B[cc];W[gg])(;B[dd]C[x];GM[1]SZ[9];B[dd])",
     "#1 9x9: Bcc Wgg !unterminated_tree@37\n"
     "#2 9x9: Bdd !missing_parenthesis@37 !glued_game@37\n"},
    {"FF behind a move is no game", "(;GM[1]SZ[9];B[cc]FF[4])", "#1 9x9: Bcc\n"},
    {"HA is no number", "(;SZ[9]HA[7.5];B[cc])", "#1 9x9: Bcc !handicap_without_stones@7\n"},
};

static void test_repairs(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof repairs / sizeof *repairs; i++) {
    char *found = sgf_describe(repairs[i].input, strlen(repairs[i].input), NULL);
    if (strcmp(found, repairs[i].expected) != 0)
      fail_msg("%s: %s: expected\n%sfound\n%s", repairs[i].name, repairs[i].input, repairs[i].expected, found);
    free(found);
  }
}

/* P48, P58: the points are those of the generating rule, or as many as the text has. */
static void test_long_cases(void **state) {
  (void)state;
  size_t n;
  char *bytes = sgf_read_file("tests/cases/inputs/P48.sgf", &n), text[3];
  km_arena arena;
  km_arena_init(&arena);
  km_sgf_reader *reader;
  km_sgf_record record;
  assert_int_equal(km_sgf_open(&reader, bytes, n, NULL, &arena, NULL), KM_OK);
  assert_int_equal(km_sgf_next(reader, &record, NULL), KM_OK);
  assert_int_equal(record.game.n_moves, 300);
  assert_int_equal(record.n_findings, 0);
  for (uint32_t i = 0; i < 300; i++) {
    assert_int_equal(record.game.moves[i].point, i);
    assert_int_equal(record.game.moves[i].colour, i % 2 ? KM_WHITE : KM_BLACK);
    km_point_sgf((uint16_t)i, 19, 19, text);
    assert_memory_equal(bytes + km_sgf_move_position(&record, i) + 2, text, 2);
  }
  assert_int_equal(km_sgf_next(reader, &record, NULL), KM_END);
  free(bytes);
  bytes = sgf_read_file("tests/cases/inputs/P58.sgf", &n);
  assert_int_equal(km_sgf_open(&reader, bytes, n, NULL, &arena, NULL), KM_OK);
  assert_int_equal(km_sgf_next(reader, &record, NULL), KM_OK);
  assert_int_equal(record.game.n_moves, 1250);
  uint32_t n_passes = 0;
  for (uint32_t i = 0; i < 1250; i++)
    n_passes += record.game.moves[i].point == 361;
  assert_int_equal(n_passes, 15);
  const km_sgf_options options = {.max_moves = 1249};
  assert_int_equal(km_sgf_open(&reader, bytes, n, &options, &arena, NULL), KM_OK);
  assert_int_equal(km_sgf_next(reader, &record, NULL), KM_OK);
  assert_int_equal(record.refused, KM_REASON_TOO_MANY_MOVES);
  assert_string_equal(record.findings[0].detail, "1250 moves, limit 1249");
  km_arena_clear(&arena);
  free(bytes);
}

/* NULs, which the tables cannot hold, and a byte order mark between files put together. */
static void test_nul_and_marks(void **state) {
  (void)state;
  static const char nul[] = "\0\0(;SZ[9]\0PB[a\0b];B[cc]\0;W[gg])\0\0\xef\xbb\xbf(;SZ[9];B[\0dd])\x1a";
  char *found = sgf_describe(nul, sizeof nul - 1, NULL);
  assert_string_equal(found, "#1 9x9: Bcc Wgg PB \"a b\"\n#2 9x9: Bdd !blank_in_point@44\n");
  free(found);
  char zeros[100] = {0};
  found = sgf_describe(zeros, sizeof zeros, NULL);
  assert_string_equal(found, "input !not_sgf@0\n");
  free(found);
}

/* A record keeps a bounded number of findings, the last of which counts the rest; a refusal is never lost. */
static void test_bounded_findings(void **state) {
  (void)state;
  char text[4096] = "(;SZ[99]";
  for (int i = 0; i < 500; i++)
    strcat(text, "LB CR;");
  strcat(text, ")");
  km_arena arena;
  km_arena_init(&arena);
  km_sgf_reader *reader;
  km_sgf_record record;
  assert_int_equal(km_sgf_open(&reader, text, strlen(text), NULL, &arena, NULL), KM_OK);
  assert_int_equal(km_sgf_next(reader, &record, NULL), KM_OK);
  assert_int_equal(record.refused, KM_REASON_BAD_SIZE);
  assert_int_equal(record.n_findings, KM_SGF_FINDINGS_MAX + 2);
  int has_refusal = 0, has_count = 0;
  for (uint32_t i = 0; i < record.n_findings; i++) {
    has_refusal |= record.findings[i].reason == KM_REASON_BAD_SIZE;
    has_count |= record.findings[i].detail && strcmp(record.findings[i].detail, "and 936 more") == 0;
  }
  assert_true(has_refusal && has_count);
  km_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),         cmocka_unit_test(test_repairs),
      cmocka_unit_test(test_long_cases),    cmocka_unit_test(test_nul_and_marks),
      cmocka_unit_test(test_bounded_findings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
