#!/usr/bin/env bash
# Every workload, and what measures it, under sanitizers. Ends on "N passed, N failed".
exec /usr/bin/python3 "$(dirname "$0")/sanitized.py" "$@"
