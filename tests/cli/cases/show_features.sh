# Chains, eyes, ladders, moves.
G=$ROOT/tests/golden/games
run kifu-show features "$G/t06_corner_capture.sgf" --ply 2
run kifu-show features "$G/t07_ko.sgf" --format csv
