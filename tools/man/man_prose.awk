# man_prose.awk: the prose of a man page: "# TITLE", paragraphs, and examples indented by four spaces.
function plain(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  if (text ~ /^[.']/)
    text = "\\&" text
  return text
}
function leave() {
  if (in_example)
    print ".fi\n.RE"
  in_example = 0
}
/^# / {
  leave()
  print ".SH " toupper(substr($0, 3))
  fresh = 1
  next
}
/^$/ {
  gap = 1
  next
}
/^    / {
  if (!in_example)
    printf "%s.RS 4\n.nf\n", fresh ? "" : ".PP\n"
  in_example = 1
  fresh = gap = 0
  print plain(substr($0, 5))
  next
}
{
  if (gap && !fresh || in_example) {
    leave()
    print ".PP"
  }
  fresh = gap = 0
  print plain($0)
}
END { leave() }
