# What kifu-show says of itself.
run kifu-show --help
for command in info moves board hbs planes features changepoints; do
  run kifu-show "$command" --help
done
run kifu-show --version
