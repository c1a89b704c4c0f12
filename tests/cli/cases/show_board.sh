# Diagrams, positions, and what stands below them.
G=$ROOT/tests/golden/games
run kifu-show board "$G/t07_ko.sgf"
run kifu-show board "$G/t07_ko.sgf" --ply 0
run kifu-show board "$G/t07_ko.sgf" --mode sgf --quiet
run kifu-show board "$G/t23_handicap_9.sgf"
run kifu-show board "$G/t16_passes_tt.sgf" --json
run kifu-show board "$G/t28_all_black_31.sgf"
echo '(;SZ[13:7]AB[aa];B[mg];W[ma];B[])' >rectangle.sgf
run kifu-show board rectangle.sgf --ply 1
run kifu-show board rectangle.sgf
run kifu-show board "$G/t22_midgame_setup.sgf"
