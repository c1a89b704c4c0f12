# One position as planes.
G=$ROOT/tests/golden/games
run kifu-show planes "$G/t02_one_2x2.sgf" --ply 1
run kifu-show planes "$G/t07_ko.sgf" --ply 4 --symmetry 3 --json
run kifu-show planes "$G/t07_ko.sgf" --ply 8 --format sha256
run kifu-show planes "$G/t07_ko.sgf" --ply 8 --layout alphago-48:capture1,colour --format sha256
run bash -c "kifu-show planes '$G/t07_ko.sgf' --ply 8 --format raw | sha256sum"
run kifu-show planes "$G/t07_ko.sgf" --ply 9
run kifu-show planes "$G/t07_ko.sgf" --layout alphago-zero:capture1
run kifu-show planes "$G/t07_ko.sgf" --ply 8 --layout alphago-48 --layout-options capture1,colour --format sha256
echo '(;SZ[13:7];B[aa])' >rectangle.sgf
run kifu-show planes rectangle.sgf --symmetry 4 --format sha256
run kifu-show planes rectangle.sgf --symmetry 1
run kifu-show planes rectangle.sgf --symmetry 8
