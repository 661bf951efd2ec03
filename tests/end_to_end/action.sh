#!/bin/sh
# See action.py.
exec /usr/bin/python3 "$(dirname "$0")/action.py"
