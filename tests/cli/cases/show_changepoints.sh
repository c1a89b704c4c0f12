# Series in, breaks out.
I=$ROOT/tests/cases/inputs
cd "$I"
run kifu-show changepoints X01.csv
run kifu-show changepoints X02.csv
run kifu-show changepoints X04.csv
run kifu-show changepoints X07.csv --search binseg --changes 3
run kifu-show changepoints X04.csv --json
cd "$SCRATCH"
printf '# a comment\n\n1\r\n 1.0 \n1e0\n5\n5\n0x5\n5' >series.csv
run kifu-show changepoints series.csv --penalty 0.5
run kifu-show changepoints series.csv --changes 1 --cost l1 --json
run kifu-show changepoints series.csv --changes 9
run kifu-show changepoints series.csv --penalty cheap
run kifu-show changepoints series.csv --penalty -1
run kifu-show changepoints series.csv --changes -1
run kifu-show changepoints series.csv --cost l3
for bad in nan -inf 1e999 '1,2' x '1 2'; do
  printf '1\n2\n%s\n' "$bad" >bad.csv
  run kifu-show changepoints bad.csv
done
: >empty.csv
run kifu-show changepoints empty.csv
run kifu-show changepoints missing.csv
