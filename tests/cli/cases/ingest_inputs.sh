# kifu-ingest: files, folders, standard input, lists, names that look like options, and what is not there.
cp $ROOT/tests/cases/inputs/P44.sgf three.sgf
mkdir -p folder/inner folder/.hidden
cp three.sgf folder/b.sgf; cp $ROOT/tests/cases/inputs/R10.sgf folder/inner/a.sgf; cp three.sgf folder/.hidden/x.sgf
echo 'just a note' > folder/readme.txt
printf '(;SZ[9];B[ee])' > ./--odd.sgf
printf '(;SZ[9];B[ff])' > ./@odd.sgf
printf 'three.sgf\r\n\r\nfolder\n./@odd.sgf\n' > list
show() { run cut -f1-5,7 "$1.ledger.tsv"; }

run kifu-ingest --quiet -o file.h5 three.sgf
show file
run kifu-ingest --quiet --dedup off -o folder.h5 folder
show folder
run kifu-ingest --quiet --dedup off -o list.h5 @list
show list
run kifu-ingest --quiet -o odd.h5 -- --odd.sgf
run kifu-ingest --quiet -o odd2.h5 ./--odd.sgf ./@odd.sgf
run bash -c 'kifu-ingest --quiet -o stdin.h5 - < three.sgf'
run bash -c 'gzip -c three.sgf | kifu-ingest --quiet -o pipe.h5 -'
run bash -c 'kifu-ingest -o closed.h5 - <&-'
run bash -c 'kifu-ingest -o deaf.h5 three.sgf <&- >&- 2>&-' # no file gets the numbers of what is closed
run bash -c 'echo three.sgf | kifu-ingest --quiet -o stdinlist.h5 @-'
# the source is named by its last name: the outputs do not depend on the way to it
(cd folder && kifu-ingest --quiet -o ../way.h5 ../three.sgf)
run cmp file.h5 way.h5
run cmp file.h5 deaf.h5
run kifu-ingest --quiet -o same.h5 ./folder/../three.sgf
run cmp file.h5 same.h5

run kifu-ingest -o x.h5 missing.sgf
run kifu-ingest -o x.h5 three.sgf missing.zip
run kifu-ingest -o x.h5 @missing
echo gone.sgf > badlist
run kifu-ingest -o x.h5 @badlist
mkdir empty
run kifu-ingest -o x.h5 empty
run kifu-ingest -o x.h5 folder/readme.txt
: > nothing.sgf
run kifu-ingest -o x.h5 nothing.sgf
run kifu-ingest -o x.h5 /dev/null
run bash -c 'gzip -c three.sgf | head -c 20 | kifu-ingest -o x.h5 -'
printf 'PK\003\004 and no more' > noise.zip
run kifu-ingest -o x.h5 noise.zip
run bash -c 'ls x.* 2>/dev/null'
