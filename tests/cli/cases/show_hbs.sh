# Trajectories: header, exact numbers, variants.
G=$ROOT/tests/golden/games
run kifu-show hbs "$G/t07_ko.sgf"
run kifu-show hbs "$G/t25_8x8_even.sgf"
run kifu-show hbs "$G/t32_1x1.sgf"
run kifu-show hbs "$G/t27_all_black_but_centre_19.sgf"
run kifu-show hbs "$G/t04_one_3x3_centre.sgf" --variant centre15-both
run kifu-show hbs "$G/t06_corner_capture.sgf" --variant fixed-asc-edge --json
echo '(;SZ[52];B[aa];W[ab])' >large.sgf
run kifu-show hbs large.sgf
echo '(;SZ[13:7];B[aa])' >rectangle.sgf
run kifu-show hbs rectangle.sgf
run kifu-show hbs "$G/t07_ko.sgf" --variant sideways
