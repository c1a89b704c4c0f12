# kifu-ingest: every filter, one by one: which games are kept, and the option that refuses the others in the ledger.
{
  echo '(;GM[1]SZ[19]KM[6.5]BR[9p]WR[7p]DT[1990-05-31]RE[B+R]PB[pro];B[pd];W[dp];B[pp];W[dd])'
  echo '(;GM[1]SZ[19]KM[7.5]BR[6d]WR[5d]DT[2005]RE[W+0.5]PB[dan];B[pd];W[dp];B[pq])'
  echo '(;GM[1]SZ[19]KM[0.5]HA[2]AB[pd][dp]BR[3k]WR[1d]DT[2005-06]RE[0]PB[two];W[dd])'
  echo '(;GM[1]SZ[9]KM[5.5]BR[30k]WR[?]RE[Void]PB[nine];B[ee];W[cc])'
  echo '(;GM[1]SZ[13:9]RE[B+T]PB[odd];B[ee];W[cc])'
} > five.sgf
keep() { run bash -c "kifu-ingest --quiet --force -o k.h5 $* five.sgf && tail -n +2 k.ledger.tsv | cut -f2,5,7"; }
keep
keep --size 19
keep --size 9,13x9
keep --size 9x13
keep --min-moves 3
keep --max-moves 2
keep --min-rank 5d
keep --min-rank 1p
keep --min-rank 3k
keep --handicap 0
keep --handicap 2..9
keep --result known
keep --result decided
keep --result score
keep --result resign
keep --since 2005
keep --since 2005-06-30
keep --until 1990-05-31
keep --until 1990-05-30
keep --since 1991 --until 2005-05
keep --komi 6.5
keep --komi 5.5..7
keep --komi ..1
keep --size 9 --min-moves 5
run kifu-ingest --quiet --strict --force -o k.h5 five.sgf
run kifu-ingest --quiet --strict --force -o k.h5 --size 19 five.sgf
run kifu-ingest --dry-run --size 19 five.sgf
run kifu-ingest --force -o k.h5 --size 19 five.sgf
run cat k.summary.json
