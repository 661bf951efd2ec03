"""Two revisions of this tree, both built: which commit is the base, its worktree, which deques a change can touch, what
is built of them, and whether executables differ."""

import functools
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from harness.judging import descriptions
from harness.judging.git import ask
from harness.judging.run_folder import EXIT_USAGE, Problem
from harness.judging.bench import CHECKS

WORKTREES = "build/against"  # COMMIT/ is the tree of that commit, built there
ALL_CHANGE = re.compile(r"(^|/)build\.py$|^setup/(configure\.py|compiler\.py|layout\.sh)$")  # how everything is built


def git(*arguments, root=".", may_fail=False):
    """git's output without the last newline; if it fails, a Problem with git's message, or None."""
    done = ask(*arguments, root=root)
    if done is None:
        raise Problem("there is no git here, so there is no other revision")
    if done.returncode == 0:
        return done.stdout.rstrip("\n")
    if may_fail:
        return None
    raise Problem(f"git {arguments[0]}: {(done.stderr.strip().splitlines() or ['it failed'])[-1]}")


def commit_of(revision, root="."):
    """The full hash, or a Problem that says what to do if this clone does not have it."""
    found = git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", root=root, may_fail=True)
    if found:
        return found
    if git("rev-parse", "--git-dir", root=root, may_fail=True) is None:
        raise Problem("this is no clone of git (or git does not trust its owner: git config --global --add "
                      f"safe.directory {Path(root).resolve()}), so there is no revision {revision}")
    if is_shallow(root):
        raise Problem(f"this clone is shallow and does not hold {revision}: {DEEPEN}")
    raise Problem(f"no revision {revision} here; git branch -a lists what there is", EXIT_USAGE)


DEEPEN = "git fetch --unshallow gets it (GitHub: fetch-depth: 0 at actions/checkout; GitLab: GIT_DEPTH: 0)"


def is_shallow(root):
    return git("rev-parse", "--is-shallow-repository", root=root) == "true"


def main_branch(root="."):
    """The branch that changes are merged into: as the CI job says, as the remote says, or by its usual names."""
    target = os.environ.get("GITHUB_BASE_REF") or os.environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
    pointed = git("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD", root=root, may_fail=True)
    for name in [*([f"origin/{target}", target] if target else []), pointed, "origin/main", "origin/master", "main", "master"]:
        if name and git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", root=root, may_fail=True):
            return name
    commit_of("HEAD", root)
    raise Problem("no main branch is here (origin/HEAD, main, master) to find a merge base with: name a revision"
                  + (f"; this clone is shallow: {DEEPEN}" if is_shallow(root) else ""))


def base_of(revision, root="."):
    """(commit, words for it): the revision; without one, the merge base that the CI job names, or the merge base with the main branch;
    on an unchanged main branch, the commit before."""
    if revision:
        return commit_of(revision, root), revision
    if os.environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        return commit_of(os.environ["CI_MERGE_REQUEST_DIFF_BASE_SHA"], root), "merge base of the merge request"
    main, head = main_branch(root), commit_of("HEAD", root)
    base = git("merge-base", "HEAD", main, root=root, may_fail=True)
    if not base:
        raise Problem(f"no merge base with {main}: " + (f"this clone is shallow; {DEEPEN}" if is_shallow(root) else "the two share none"))
    if base == head and not changed_files(head, root):
        return commit_of("HEAD^", root), f"the commit before, as nothing differs from {main}"
    return base, f"merge base with {main}"


def changed_files(base, root="."):
    """Paths that differ between that commit and this tree, new files included."""
    changed = git("diff", "--name-only", "--no-renames", base, root=root).splitlines()
    return sorted({*changed, *git("ls-files", "--others", "--exclude-standard", root=root).splitlines()})


@functools.lru_cache(None)
def included(path):
    """The sources that this one includes, itself among them."""
    found, left = set(), [path]
    while left:
        path = left.pop()
        if path not in found and os.path.isfile(path):
            found.add(path)
            for name in re.findall(r'^ *# *include "(.*)"', Path(path).read_text(encoding="utf-8", errors="replace"), re.M):
                left += [name, os.path.normpath(os.path.join(os.path.dirname(path), name))]
    return found


def target_of(family, deque, variant=0):
    return f"build/deques/{family}{f'.{variant}' if variant else ''}/{deque}"


def objects_of(targets):
    """{(deque or "", source, its header or "", object)} of what these targets are linked from, as ninja has it."""
    said = subprocess.run(["setup/configure.py", "-t", "commands", *targets], capture_output=True, text=True, check=False)
    if said.returncode:
        raise Problem(f"setup/configure.py: {said.stderr.strip()}")
    patterns = r'DEQUE_ID=\W*"(.*?)"', r" -c (\S+)", r'DEQUE_HEADER=\W*"(.*?)"', r" -o (\S+)"
    return {tuple((re.findall(pattern, line) or [""])[0] for pattern in patterns) for line in said.stdout.splitlines() if " -c " in line}


def touched(deques, families, changed):
    """Of these deques those whose executables of these families depend on a changed file."""
    changed, depend = set(changed), set()
    if any(ALL_CHANGE.search(path) for path in changed):
        return list(deques)
    for deque, source, header, _ in objects_of([target_of(family, deque) for deque in deques for family in families]):
        if changed & (included(source) | included(header)):
            depend.add(deque)
    return [deque for deque in deques if depend & {"", deque}]


def described(folder="build"):
    """({deque: its traits}, {workload: its family}), as the build describes them."""
    return ({name: descriptions.traits_of(lines) for name, lines in descriptions.deques(folder).items()},
            {line[1]: name for name, lines in descriptions.families(folder).items() for line in lines if line[0] == "workload"})


def code_of(executable):
    """An executable's bytes without symbols, debug information and build id."""
    with tempfile.NamedTemporaryFile() as stripped:
        done = subprocess.run(["objcopy", "--strip-all", "--remove-section=.note.gnu.build-id", "--remove-section=.comment",
                               executable, stripped.name], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Problem(f"objcopy {executable}: {done.stderr.strip()}")
        return Path(stripped.name).read_bytes()


def differing_families(deque, families, builds):
    """[the families whose code differs]; builds: the trees of two builds that hold them."""
    return [family for family in families if len({code_of(Path(tree) / target_of(family, deque)) for tree in builds}) > 1]


def worktree(commit, root="."):
    """The tree of that commit below build/, made if it does not exist."""
    folder = Path(root) / WORKTREES / commit[:12]
    if (folder / "Makefile").exists():
        if git("rev-parse", "HEAD", root=folder, may_fail=True) == commit and not git(
                "status", "--porcelain", "--untracked-files=no", root=folder, may_fail=True):
            return folder
        raise Problem(f"{folder} differs from commit {commit[:12]}: delete it, and it is made again")
    folder.parent.mkdir(parents=True, exist_ok=True)
    git("worktree", "prune", root=root)
    git("worktree", "add", "--force", "--detach", str(folder.resolve()), commit, root=root)
    return folder


def our_build(root="."):
    return json.loads((Path(root) / "build" / "build.json").read_text(encoding="utf-8"))


def make_like(folder, targets, root="."):
    """Makes these in that tree with this tree's compiler and flags, as far as possible; returns the first error line."""
    ours = our_build(root)
    done = subprocess.run(
        ["make", "-k", f"CC={ours['compiler']}", f"CXX={ours['cxx']}", f"OPTIMISE={ours['flags']}", f"CPPFLAGS={ours['cppflags']}",
         "BUILD=build", "build/build.json", *targets], cwd=folder, capture_output=True, text=True, check=False,
        env={key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")})
    return next((line for line in (done.stdout + done.stderr).splitlines()
                 if re.search(r"[Ee]rror:|\*\*\*|undefined reference", line)), "")


def targets_of(deque, families, variants=1):
    """What times this deque in these families, its checks among them."""
    return [f"build/{CHECKS}/{deque}",
            *(target_of(family, deque, variant) for family in families for variant in range(variants))]


def build_like(folder, deques, families, root="."):
    """Builds these deques' families in that worktree with this tree's compiler and flags; ({deque: why} of those that cannot be built,
    [flags that differ])."""
    ours = our_build(root)
    there = [deque for deque in deques if (folder / "queues" / f"{deque}.h").exists()]
    said = make_like(folder, [target for deque in there for target in targets_of(deque, families)], root) if there else ""
    absent = {deque: "it is new: the base has no such deque" for deque in deques if deque not in there}
    absent |= {deque: f"the base cannot be built: {said or 'make made no executable'}" for deque in there
               if not all((folder / target_of(family, deque)).exists() for family in families)}
    theirs = folder / "build" / "build.json"
    theirs = json.loads(theirs.read_text(encoding="utf-8")) if theirs.exists() else ours
    return absent, [name for name in ("compiler", "version", "flags", "cppflags", "cxx") if ours.get(name) != theirs.get(name)]
