# Completion of kifumill's programs in bash. What a program takes is what it says with --help at that moment.
_kifumill() {
  local program=$1 word=$2 previous=$3 help
  if [ "${program##*/}" = kifu-show ] && [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "info moves board hbs planes features changepoints --help --version" -- "$word")
    return
  fi
  if [ "${program##*/}" = kifu-show ]; then
    help=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null)
  else
    help=$("$program" --help 2>/dev/null)
  fi
  local choices
  choices=$(printf '%s\n' "$help" | sed -n -E "s/^ .*($previous) ([a-z0-9-]+(\|[a-z0-9-]+)+).*/\2/p" | tr '|' ' ')
  if [[ $previous == -* && -n $choices ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(printf '%s\n' "$help" | grep -oE '^ +(-[a-z], )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+$')" -- "$word")
  fi
}
for program in kifu-ingest kifu-hbs kifu-phases kifu-planes kifu-winrate kifu-report kifu-run kifu-show kifu-verify; do
  complete -o default -F _kifumill "$program"
done
unset program
