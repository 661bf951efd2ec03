"""Two revisions of this tree, both built: which commit is the base, its worktree, which deques a change can touch, and
whether executables differ."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from harness.judging.git import ask
from harness.judging.run_folder import EXIT_USAGE, Problem
from harness.judging.bench import LAYOUTS, PARTS, TIMED_PARTS

WORKTREES = "build/against"  # COMMIT/ is the tree of that commit, built there
# How everything is built.
ALL_CHANGE = re.compile(r"(^|/)Makefile$|\.mk$|(^|/)build\.py$|^setup/(configure\.py|compiler\.py|flags\.sh|layout\.sh)$")


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
    if git("rev-parse", "--is-shallow-repository", root=root) == "true":
        raise Problem(f"this clone is shallow and does not hold {revision}: {DEEPEN}")
    raise Problem(f"no revision {revision} here; git branch -a lists what there is", EXIT_USAGE)


DEEPEN = "git fetch --unshallow gets it (GitHub: fetch-depth: 0 at actions/checkout; GitLab: GIT_DEPTH: 0)"


def main_branch(root="."):
    """The branch that changes are merged into: as the CI job says, as the remote says, or by its usual names."""
    target = os.environ.get("GITHUB_BASE_REF") or os.environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
    pointed = git("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD", root=root, may_fail=True)
    for name in [*([f"origin/{target}", target] if target else []), pointed, "origin/main", "origin/master", "main", "master"]:
        if name and git("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", root=root, may_fail=True):
            return name
    commit_of("HEAD", root)
    shallow = git("rev-parse", "--is-shallow-repository", root=root) == "true"
    raise Problem("no main branch is here (origin/HEAD, main, master) to find a merge base with: name a revision"
                  + (f"; this clone is shallow: {DEEPEN}" if shallow else ""))


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
        shallow = git("rev-parse", "--is-shallow-repository", root=root) == "true"
        raise Problem(f"no merge base with {main}: " + (f"this clone is shallow; {DEEPEN}" if shallow else "the two share none"))
    if base == head and not changed_files(head, root):
        return commit_of("HEAD^", root), f"the commit before, as nothing differs from {main}"
    return base, f"merge base with {main}"


def changed_files(base, root="."):
    """Paths that differ between that commit and this tree, new files included."""
    changed = git("diff", "--name-only", "--no-renames", base, root=root).splitlines()
    return sorted({*changed, *git("ls-files", "--others", "--exclude-standard", root=root).splitlines()})


def dependencies(file):
    """The sources that a compiler's .d file names."""
    text = Path(file).read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    return {word.removeprefix("./") for line in text.splitlines() if ":" in line
            for word in re.split(r"(?<!\\)\s+", line.partition(":")[2].strip()) if word}


def touched(deques, changed, build="build"):
    """The deques whose timed executables depend on a changed file, as the compiler's .d files say. A deque of which there is no
    .d file counts as touched."""
    changed = set(changed)
    if any(ALL_CHANGE.search(path) for path in changed):
        return list(deques)
    objects = Path(build) / "obj"

    def depends(*folders):
        files = [file for folder in folders for file in folder.rglob("*.d") if "checks" not in file.relative_to(objects).parts]
        return not files or any(changed & dependencies(file) for file in files)

    if depends(objects / "timed" / "once", objects / "harness"):
        return list(deques)
    return [deque for deque in deques if depends(objects / "timed" / deque)]


def executables(build, parts=PARTS):
    """The ids below these parts of a build."""
    return sorted({str(file.relative_to(Path(build) / part)) for part in parts for file in (Path(build) / part).rglob("*")
                   if file.is_file() and os.access(file, os.X_OK)})


def describe(executable):
    """{field: value} of a deque's executable, and the names of its workloads."""
    said = subprocess.run([executable, "--describe"], capture_output=True, text=True, check=False, timeout=30).stdout
    rows = [line.split("\t") for line in said.splitlines()]
    return ({row[1]: row[2] for row in rows if row[0] == "deque" and len(row) > 2},
            {row[1] for row in rows if row[0] == "workload" and len(row) > 1})


def code_of(executable):
    """An executable's bytes without symbols, debug information and build id."""
    with tempfile.NamedTemporaryFile() as stripped:
        done = subprocess.run(["objcopy", "--strip-all", "--remove-section=.note.gnu.build-id", "--remove-section=.comment",
                               executable, stripped.name], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Problem(f"objcopy {executable}: {done.stderr.strip()}")
        return Path(stripped.name).read_bytes()


def differing_parts(deque, builds):
    """[the parts of a deque that are timed and whose code differs]; None where one of the builds lacks one."""
    found = []
    for part in TIMED_PARTS:
        pair = [Path(build) / part / deque for build in builds]
        if not all(one.exists() for one in pair):
            return None
        if code_of(pair[0]) != code_of(pair[1]):
            found.append(part)
    return found


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
        ["make", "-k", f"-j{len(os.sched_getaffinity(0))}", f"CC={ours['compiler']}", f"CXX={ours['cxx']}",
         f"OPTIMISE={ours['flags']}", f"CPPFLAGS={ours['cppflags']}", "BUILD=build", "build/build.json", *targets],
        cwd=folder, capture_output=True, text=True, check=False,
        env={key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")})
    return next((line for line in (done.stdout + done.stderr).splitlines()
                 if re.search(r"[Ee]rror:|\*\*\*|undefined reference", line)), "")


def build_layouts(trees, deque, count, root="."):
    """The other layouts of the deque's pool, in each of these trees; older revisions have none."""
    for tree in trees:
        make_like(tree, [f"build/{LAYOUTS}/{number}/{deque}" for number in range(1, count)], root)


def build_like(folder, deques, root="."):
    """Builds these deques in that worktree with this tree's compiler and flags; ({deque: why} of those that cannot be built,
    [flags that differ])."""
    ours = our_build(root)
    targets = [f"build/{part}/{deque}" for deque in deques for part in PARTS if (folder / "queues" / f"{deque}.h").exists()]
    said = make_like(folder, targets, root) if targets else ""
    absent = {}
    for deque in deques:
        if not (folder / "queues" / f"{deque}.h").exists():
            absent[deque] = "it is new: the base has no such deque"
        elif not all((folder / "build" / part / deque).exists() for part in TIMED_PARTS):
            absent[deque] = f"the base cannot be built: {said or 'make made no executable'}"
    theirs = folder / "build" / "build.json"
    theirs = json.loads(theirs.read_text(encoding="utf-8")) if theirs.exists() else ours
    return absent, [name for name in ("compiler", "version", "flags", "cppflags", "cxx") if ours.get(name) != theirs.get(name)]
