# measure.sh: measures a suite on executables that are not in build/, draws the run and judges it. For the parts' programs `run`,
# which call it at the top of the tree.
# shellcheck shell=bash

# measure SUITE FOLDER:... MODULE OPTION...: the executables are in these folders; options are those of `./run.sh suite`. The
# module of Python gets the run. The exit code is the worst.
measure() {
  local suite=$1 folders=--deques-in=$2 judge=$3 folder measured judged=0
  shift 3
  folder=$(setup/build.sh --for suite "$suite" "$folders" "$@") || return
  case " $*" in
    *' --resume'* | *' --name='*) ;;
    *) set -- "$@" --name="${folder##*/}" ;;
  esac
  build/stealbench suite "$suite" "$folders" "$@"
  measured=$?
  case " $* " in *' --dry-run '* | *' --needs '* | *' --split='* | *' --part='*) return "$measured" ;; esac
  if [[ $measured == [034] ]] && [ -n "$folder" ] && [ -e "$folder/manifest.json" ]; then
    setup/python.sh -m plots.draw "$folder" && setup/python.sh -m "$judge" "$folder"
    judged=$?
  fi
  return $((judged > measured ? judged : measured))
}
