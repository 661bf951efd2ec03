#!/usr/bin/env bash
# Counters and places through the whole suite. Ends on "N passed, N failed".
exec /usr/bin/python3 "$(dirname "$0")/counted.py" "$@"
