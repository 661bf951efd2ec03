#!/usr/bin/env bash
# install.sh: does `make install`, with PREFIX (/usr/local) and DESTDIR as usual.
#
#   PREFIX/share/stealbench          the sources: deques are built on the machine that measures them
#   PREFIX/bin/stealbench            copies them into a folder of the user's when they changed (STEALBENCH_HOME, or
#                                    ~/.local/share/stealbench); builds and results go there, too
set -eu
cd "$(dirname "$0")/.."
prefix=${PREFIX:-/usr/local} top=${DESTDIR:-}${PREFIX:-/usr/local}
# In a build PREFIX means where libraries are, so it is unset here.
env -u PREFIX -u MAKEFLAGS -u MAKEOVERRIDES setup/configure.py build/stealbench
mkdir -p "$top"/{bin,share}
rm -rf "$top/share/stealbench"
mkdir "$top/share/stealbench"
tar -c --exclude=./build --exclude=./.git --exclude=__pycache__ --exclude=./results . | tar -x -C "$top/share/stealbench"
mkdir "$top/share/stealbench/results"
for kept in README.md metrics.csv settings.csv published baseline renew_example.sh; do cp -a "results/$kept" "$top/share/stealbench/results/"; done
find "$top/share/stealbench" -type f -print0 | sort -z | xargs -0 cat | cksum > "$top/share/stealbench/.installed"
cat > "$top/bin/stealbench" << LAUNCHER
#!/usr/bin/env bash
# stealbench, installed: copies its sources into a folder of the user's, and builds and keeps results there.
set -u
from=$(printf %q "$prefix/share/stealbench")
LAUNCHER
cat >> "$top/bin/stealbench" << 'LAUNCHER'
home=${STEALBENCH_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/stealbench}
if ! cmp -s "$from/.installed" "$home/.installed"; then
  mkdir -p "$home" || exit 3
  for old in "$home"/*; do
    case ${old##*/} in build | results | '*') ;; *) rm -rf "$old" ;; esac
  done
  cp -R --preserve=timestamps "$from/." "$home/" || exit 3
  chmod -R u+w "$home"
fi
export STEALBENCH_FROM=$PWD
exec "$home/run.sh" "$@"
LAUNCHER
chmod 755 "$top/bin/stealbench"
echo "installed: $top/bin/stealbench"
