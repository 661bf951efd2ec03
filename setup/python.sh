#!/bin/sh
# python.sh ARGUMENT...: runs the Python that has the packages; call it at the top of the tree. That is the one of
# ./run.sh setup --venv if it exists, else /usr/bin/python3 on Debian, else the first one on PATH.
if [ -x results/.venv/bin/python3 ]; then
    exec results/.venv/bin/python3 "$@"
elif [ -e /etc/debian_version ]; then
    exec /usr/bin/python3 "$@"
fi
exec python3 "$@"
