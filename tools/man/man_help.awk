# man_help.awk: what a program says with --help → man page sections.
#
# "usage: PROGRAM WORDS" is the synopsis, the paragraphs behind it the description; a line that ends with ":" and stands
# at the margin begins a section; in it "  -x, --name VALUE   text" is an option and "  word   text" a command. With the
# variable command set it is one command of a program: a section of that name.
function plain(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  if (text ~ /^[.']/)
    text = "\\&" text
  return text
}
function item(left, right) {
  printf ".TP\n.B %s\n", plain(left)
  if (right != "")
    print plain(right)
}
/^usage: / {
  line = substr($0, 8)
  print command == "" ? ".SH SYNOPSIS" : ".SH COMMAND " toupper(command)
  space = index(line, " ")
  printf ".B %s\n%s\n", plain(substr(line, 1, space - 1)), plain(substr(line, space + 1))
  print command == "" ? ".SH DESCRIPTION" : ".PP"
  next
}
/^[^ ].*:$/ {
  title = substr($0, 1, length($0) - 1)
  sub(/ \[default\]$/, " (defaults in brackets)", title)
  if (command == "")
    print ".SH " toupper(title)
  else
    print ".PP\n" plain(title) ":"
  in_list = 1
  next
}
/^$/ {
  if (seen)
    print ".PP"
  next
}
{ seen = 1 }
in_list && /^  +-/ || in_list && /^  [a-z][a-z-]*  / {
  sub(/^ +/, "")
  at = match($0, /  +/)
  if (at)
    item(substr($0, 1, at - 1), substr($0, at + RLENGTH))
  else
    item($0, "")
  next
}
in_list && /^      / { # the text of an option whose line was full
  sub(/^ +/, "")
  print plain($0)
  next
}
{
  in_list = 0
  print plain($0)
}
