# Mistakes and failures: one line on stderr, nothing on stdout, the right exit code.
G=$ROOT/tests/golden/games
cp "$G/t07_ko.sgf" ko.sgf
run kifu-show
run kifu-show draw ko.sgf
run kifu-show board
run kifu-show board ko.sgf ko.sgf
run kifu-show board ko.sgf --sideways
run kifu-show board ko.sgf --ply
run kifu-show board ko.sgf --ply -1
run kifu-show board ko.sgf --ply 9
run kifu-show board ko.sgf --ply 99999999999999999999
run kifu-show board ko.sgf --game 0
run kifu-show board ko.sgf --game 2
run kifu-show board ko.sgf --entry a
run kifu-show board ko.sgf --mode loose
run kifu-show board missing.sgf
run kifu-show board missing.zip//a.sgf
echo 'no game' >text.sgf
run kifu-show board text.sgf
: >empty.sgf
run kifu-show board empty.sgf
echo '(;GM[3];B[aa])' >chess.sgf
run kifu-show board chess.sgf
echo '(;SZ[99];B[aa])' >size.sgf
run kifu-show info size.sgf
run kifu-show board ko.sgf --quiet -o out.txt
run kifu-show board ko.sgf --quiet -o out.txt
run kifu-show board ko.sgf --quiet -o out.txt --force --ply 0
run cat out.txt
run kifu-show board ko.sgf --quiet -o nowhere/out.txt
run bash -c 'kifu-show hbs ko.sgf --quiet >/dev/full'
