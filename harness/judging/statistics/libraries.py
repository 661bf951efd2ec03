"""The libraries that judging and drawing need, and their oldest versions."""

import importlib
import re
import sys

LEAST = {"numpy": (1, 20)}  # Debian 12 has a newer one
EXIT_MISSING = 3


def version_here(name):
    return importlib.import_module(name).__version__


def complaint(version_of=version_here):
    """The message if a library is missing or too old, else None. version_of: returns the version of a library as text; raises
    ImportError if it is not installed."""
    for name, least in LEAST.items():
        wanted = f"{name} {'.'.join(map(str, least))}"
        try:
            version = version_of(name)
        except ImportError:
            found = f"{name} is not installed"
        else:
            if tuple(map(int, re.findall(r"\d+", version)[:2])) >= least:
                continue
            found = f"{name} {version} is here"
        return (f"{found}; drawing and comparing take {wanted} or later: here by ./run.sh setup --venv, or on another machine "
                "from a copy of the run's folder by ./run.sh report")
    return None


def require():
    """Ends the program with what is missing."""
    if said := complaint():
        print(said, file=sys.stderr)
        sys.exit(EXIT_MISSING)
