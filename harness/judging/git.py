"""The one way to ask git. Callers must work without it: a tree may be an archive, a machine may have no git."""

import subprocess


def ask(*arguments, root="."):
    """The ended process, with its stdout and stderr as texts; None if there is no git."""
    try:
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False, cwd=root)
    except FileNotFoundError:
        return None


def answer(*arguments, root="."):
    """Its output without the last newline; None if there is no git or it fails."""
    done = ask(*arguments, root=root)
    return done.stdout.rstrip("\n") if done and done.returncode == 0 else None
