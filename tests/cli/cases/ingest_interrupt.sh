# kifu-ingest: ended from outside in the middle of its input: it ends of the signal and removes its temporary files;
# what cannot be caught leaves only those, and the next run works.
cp $ROOT/tests/cases/inputs/P44.sgf game.sgf
mkfifo pipe
for signal in TERM INT HUP PIPE USR1 KILL; do
  env --default-signal kifu-ingest --quiet -o games.h5 game.sgf pipe 2> /dev/null &
  pid=$!
  exec 9> pipe # opens when the program reads
  printf '(;SZ[9];B[aa]' >&9
  kill -$signal $pid
  wait $pid && echo "$signal: not ended" >> ends || echo "$signal: ended with $?" >> ends
  exec 9>&-
  if [ $signal = KILL ]; then rm games.*.tmp; fi
  run bash -c 'ls games.* 2> /dev/null'
done
run cat ends
run kifu-ingest --quiet -o games.h5 game.sgf
run bash -c 'ls -A | sort'
