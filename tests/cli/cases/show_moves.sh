# What every move did, by either way of replaying and either suicide rule.
G=$ROOT/tests/golden/games
run kifu-show moves "$G/t07_ko.sgf"
run kifu-show moves "$G/t07_ko.sgf" --mode sgf --format csv
run kifu-show moves "$G/t14_capture_three.sgf"
run kifu-show moves "$G/t10_suicide_single.sgf" --json
echo '(;SZ[5]AW[ba][bb][ac];B[aa];W[ee];B[ab];W[ca])' >suicide.sgf
run kifu-show moves suicide.sgf --format csv
run kifu-show moves suicide.sgf --format csv --suicide allow
echo '(;SZ[5]RU[NZ]AW[ba][bb][ac];B[aa];W[ee];B[ab];W[ca])' >new-zealand.sgf
run kifu-show moves new-zealand.sgf --format csv
run kifu-show moves new-zealand.sgf --format csv --suicide forbid
run kifu-show moves "$G/t18_offboard.sgf"
run kifu-show moves "$G/t16_passes_tt.sgf" --strict
run kifu-show moves "$G/t07_ko.sgf" --strict --quiet
# the same position again, refused or only told
echo '(;SZ[2];B[aa];W[bb];B[ba];W[ab];B[aa];W[ba];B[aa])' >two.sgf
run kifu-show moves two.sgf --mode sgf
run kifu-show moves two.sgf --rules positional-superko
