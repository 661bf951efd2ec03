#!/bin/sh
# python.sh ARGUMENT...: the Python that has the packages, to be called at the top of the tree: that of ./run.sh setup --venv
# where it is, else on Debian /usr/bin/python3, elsewhere the one that is found.
if [ -x results/.venv/bin/python3 ]; then
    exec results/.venv/bin/python3 "$@"
elif [ -e /etc/debian_version ]; then
    exec /usr/bin/python3 "$@"
fi
exec python3 "$@"
