#!/usr/bin/env bash
# walk and duplicates from outside, on real trees and every deque. Ends on "N passed, N failed".
exec /usr/bin/python3 "$(dirname "$0")/directories.py" "$@"
