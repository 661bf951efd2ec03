# measure.sh: measures a suite on executables that are not in build/, draws the run and judges it. For the parts' programs `run`,
# which call it at the top of the tree.
# shellcheck shell=bash

# measure SUITE FOLDER:... MODULE OPTION...: the executables are in these folders; options are those of `./run.sh suite`. The
# module of Python gets the run. The exit code is the worst.
measure() {
  local suite=$1 folders=--deques-in=$2 judge=$3 said folder measured judged=0
  shift 3
  said=$(mktemp) || return 3
  build/stealbench suite "$suite" "$folders" "$@" 2> >(tee "$said" >&2)
  measured=$?
  folder=$(sed -n 's/^results: //p' "$said")
  rm -f "$said"
  if [[ $measured == [034] ]] && [ -n "$folder" ] && [ -e "$folder/manifest.json" ]; then
    setup/python.sh -m plots.draw "$folder" && setup/python.sh -m "$judge" "$folder"
    judged=$?
  fi
  return $((judged > measured ? judged : measured))
}
