# What records say, in any encoding, damaged, in archives; and what is found wrong.
I=$ROOT/tests/cases/inputs
cd "$I"
run kifu-show info P01.sgf
run kifu-show info P01.sgf --strict --quiet --json
run kifu-show info P09.sgf --game 2
run kifu-show info P13.sgf --game 2 --json
printf '(;SZ[9]PB[\xd0\xa1\xc1\xd6]PW[\xb9\xc5\xc1\xa6]CA[gb2312]KM[375]RE[\xba\xda\xd6\xd0\xc5\xcc\xca\xa4]DT[2001-02-03,04]BR[\xbe\xc5\xb6\xce]C[a];B[cc];W[cc])' >"$SCRATCH/chinese.sgf"
cd "$SCRATCH"
run kifu-show info chinese.sgf
gzip -k chinese.sgf
run kifu-show info chinese.sgf.gz --json
mkdir folder && cp chinese.sgf folder/a.sgf && cp "$I/P09.sgf" folder/b.sgf
7z a -bd outer.7z folder >/dev/null
run kifu-show info outer.7z//folder/b.sgf
run kifu-show board outer.7z --game 3 --ply 0
run kifu-show info outer.7z --entry folder/a.sgf --game 2
run kifu-show info outer.7z//folder/c.sgf
run bash -c 'kifu-show info - <chinese.sgf | head -3'
head -c 200 outer.7z >cut.7z
run kifu-show info cut.7z
