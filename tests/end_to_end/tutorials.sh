#!/usr/bin/env bash
# The tutorials for a workload and a figure: their files are saved in a copy of the tree, and their commands build, run and draw
# them.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
copy="$scratch/a b"
around() (cd "$copy" && timeout 300 "$@" < /dev/null)

# Copies what is built already, so that only the page's own file is compiled.
copy_tree "$copy"
copy_built "$copy" chase_lev lf_bulk
mkdir "$copy/build/checks" && cp -a build/checks/{chase_lev,lf_bulk} "$copy/build/checks/"

for page in docs/tutorial_workload.md docs/tutorial_figure.md; do
  # The block after `Save this as FILE` is that file.
  # shellcheck disable=SC2016 # backquotes of the page
  file=$(sed -n 's/.*Save this as `\(.*\)`:$/\1/p' "$page")
  expect "$page adds a file" 1 "" test -z "$file" -o -e "$file"
  sed -n '/Save this as/,$p' "$page" | awk '/^```/ { if (n++) exit; next } n' > "$copy/$file"
  mapfile -t commands < <(sed -n 's/^\$ \(.*\)/\1/p' "$page")
  expect "$page shows a command" 0 "" test ${#commands[@]} -gt 0
  for command in "${commands[@]}"; do expect "$command" 0 "" bash -c "$command"; done
done
for deque in chase_lev lf_bulk; do
  expect "$deque was measured" 0 "look_latency" grep -E "\<$deque\>.*\<ok\>" results/look/samples.csv
done
expect "the figure has a bar for each" 0 "3" awk 'END { print NR }' results/look/figures/look-in_a_row.csv
expect "and is in the report" 0 "A pop that finds nothing" cat results/look/report.html
