#!/usr/bin/env bash
# with_decimal_comma.sh COMMAND...: runs the command in a locale that writes one and a half as 1,5. The locale is made here, so
# none has to be installed. Exit: COMMAND's, or 3 if no such locale can be made.
set -u
[ $# -gt 0 ] || { echo "usage: with_decimal_comma.sh COMMAND..." >&2; exit 2; }
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
# localedef complains about the missing rest, but -c makes it write the locale all the same.
printf '%s\n' LC_NUMERIC 'decimal_point ","' 'thousands_sep ""' 'grouping -1' 'END LC_NUMERIC' LC_CTYPE 'END LC_CTYPE' \
  > "$folder/locale"
{
  printf '%s\n' '<code_set_name> ASCII' '<escape_char> /' CHARMAP
  for ((code = 0; code < 128; code++)); do printf '<U%04X> /x%02x -\n' $code $code; done
  echo 'END CHARMAP'
} > "$folder/characters"
localedef -c -i "$folder/locale" -f "$folder/characters" "$folder/comma" > "$folder/said" 2>&1
within() { env "LOCPATH=$folder" LC_ALL=comma "$@"; }
[ "$(within awk 'BEGIN { printf "%.1f", 1.5 }')" = 1,5 ] || {
  echo "no locale with a decimal comma can be made here: left out"
  exit 3
}
within "$@"
