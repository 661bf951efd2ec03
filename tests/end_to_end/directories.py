"""walk and duplicates as their user runs them: the deques' own executables on real trees.

Usage: directories.py [NAME...]   NAME: only the tests whose name contains it
"""

import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

from fake_tree import NOBODY, expect, run_tests

BUILD = Path("build")
SMALL_WALK = ["directories=60", "files=200", "symlinks=7"]
SMALL_FILES = ["directories=20", "files=100", "bytes=400000"]


class Work:
    """A folder of its own in which trees are generated."""

    def __enter__(self):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.path = Path(tempfile.mkdtemp(prefix="stealbench-test-", dir=memory))
        self.path.chmod(0o755)
        return self

    def __exit__(self, *_):
        subprocess.run(["rm", "-rf", str(self.path)], check=True)

    def code(self, executable, *arguments, **more):
        """How one invocation ends, and what it says."""
        done = subprocess.run([str(executable), "--run", *arguments], env=os.environ | {"TMPDIR": str(self.path)},
                              capture_output=True, timeout=60, check=False, **more)
        return done.returncode, done.stderr.decode(errors="replace")

    def run(self, executable, *arguments, code=0, **more):
        """The samples of one invocation: {(role, metric): [values of its repetitions, a status where there is none]}."""
        done = subprocess.run([str(executable), "--run", *arguments], env=os.environ | {"TMPDIR": str(self.path)},
                              capture_output=True, timeout=120, check=False, **more)
        self.errors = done.stderr.decode(errors="replace")
        expect(done.returncode == code, f"{executable} {' '.join(arguments)}: exit code {done.returncode}, expected "
                                        f"{code}: {self.errors[-2000:]}")
        samples = {}
        for line in done.stdout.decode().splitlines():
            fields = line.split("\t")
            if fields[0] == "sample":
                value = float(fields[4]) if fields[6] == "ok" else fields[6]
                samples.setdefault((fields[1], fields[3]), []).append(value)
        return samples


def application(samples, metric):
    return samples[("pool", metric)]


def deque(name, workload="walk"):
    return BUILD / "deques" / workload / name


def every_deque(workload):
    folder = BUILD / "deques" / workload
    return sorted(path for path in folder.rglob("*") if path.is_file() and os.access(path, os.X_OK))


def is_unsupported(samples, workload):
    return samples.get(("process", workload)) == ["unsupported"]


# --- every deque

def test_every_deque_walks():
    served = 0
    with Work() as work:
        for path in every_deque("walk"):
            samples = work.run(path, "walk", "threads=4", "--repetitions=3", *SMALL_WALK)
            if is_unsupported(samples, "walk"):
                continue
            served += 1
            expect([application(samples, name)[2] for name in ("directories", "files", "symlinks", "unreadable")] ==
                   [60, 200, 7, 0], (path, samples))
            expect(samples[("worker", "tasks")] == [60] * 3, (path, "a task a directory"))
    expect(served >= 3, f"only {served} deques served")


def test_every_deque_finds_duplicates():
    served = 0
    with Work() as work:
        for path in every_deque("duplicates"):
            for settings in ([], ["task=block"]):
                samples = work.run(path, "duplicates", "threads=3", "--repetitions=2", *settings, *SMALL_FILES)
                if is_unsupported(samples, "duplicates"):
                    continue
                served += 1
                expect(application(samples, "duplicate_files") == [30, 30], (path, samples))
    if shutil.which("cpp") and "xxhash" in subprocess.run(
            ["cpp", "-M", "-"], input="#include <xxhash.h>\n", text=True, capture_output=True, check=False).stdout:
        expect(served >= 4, f"only {served} deques served")


# --- walk

def test_versions_agree():
    with Work() as work:
        for version, threads, tree in (("one_thread", 1, "built"), ("shared_queue", 1, "counted"), ("shared_queue", 4, "built"),
                                       ("pool", 2, "built")):
            samples = work.run(deque("chase_lev"), "walk", f"version={version}", f"threads={threads}", f"tree={tree}", *SMALL_WALK)
            expect(application(samples, "directories") == [60], samples)
            expect((("worker", "tasks") in samples) == (version == "pool"), samples)
            # A version without the pool tells its own costs, once a repetition.
            expect(0 < application(samples, "processor_time")[0] < 10 and len(application(samples, "processor_time")) == 1, samples)
        expect(is_unsupported(work.run(deque("empty"), "walk", "threads=2", *SMALL_WALK), "walk"), "empty keeps nothing")
        work.run(deque("empty"), "walk", "version=shared_queue", "threads=2", *SMALL_WALK)
        expect(is_unsupported(work.run(deque("empty"), "walk", "version=one_thread", "threads=2"), "walk"), "two threads")


def few_descriptors(most=512):
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def test_too_few_descriptors_are_no_wrong_answer():
    """With any number of descriptors: the right answer, or a message that there are too few; both must occur."""
    with Work() as work:
        tree = work.path / "tree"
        for i in range(20):
            (tree / f"d{i}" / "e" / "f" / "g").mkdir(parents=True)
            for j in range(4):
                (tree / f"d{i}" / f"file{j}").write_text(str(j % 3))
        for workload, *settings in (["walk", f"path={tree}"], ["walk", f"path={tree}", "version=one_thread", "threads=1"],
                                    ["walk", f"path={tree}", "version=shared_queue"], ["walk", *SMALL_WALK],
                                    ["duplicates", f"path={tree}"], ["duplicates", *SMALL_FILES]):
            threads = [] if "threads=1" in settings else ["threads=4"]
            samples = work.run(deque("chase_lev", workload), workload, *settings, *threads)
            if is_unsupported(samples, workload):
                continue
            codes, names_the_limit = set(), False
            for most in (*range(4, 40), 48, 64, 96, 256):
                code, errors = work.code(deque("chase_lev", workload), workload, *settings, *threads,
                                         preexec_fn=lambda: few_descriptors(most))
                if code == 127 and "shared librar" in errors:  # not even the program can be loaded
                    continue
                expect(code == 0 or code == 3 and "Too many open files" in errors, (workload, settings, most, code, errors[-500:]))
                names_the_limit |= f"`ulimit -n` allows {most})" in errors
                codes.add(code)
            expect(codes == {0, 3} and names_the_limit, (workload, settings, codes))


def test_a_real_tree_with_any_names():
    with Work() as work:
        tree = work.path / "tree"
        names = [b"new\nline", b"\xff\xfe", b"-rf", b"...", b" ", b"x" * 255]
        for name in names:
            inner = os.path.join(os.fsencode(tree), name, name)
            os.makedirs(inner)
            os.symlink(b"..", os.path.join(inner, b"up"))
            with open(os.path.join(inner, b"file\n"), "wb") as file:
                file.write(b"the same in each")
        for version in ("one_thread", "shared_queue", "pool"):
            samples = work.run(deque("chase_lev"), "walk", f"path={tree}", f"version={version}")
            expect([application(samples, name) for name in ("directories", "files", "symlinks", "others")] ==
                   [[13], [6], [6], [0]], samples)
        samples = work.run(deque("chase_lev", "duplicates"), "duplicates", f"path={tree}", "threads=2")
        if not is_unsupported(samples, "duplicates"):
            expect([application(samples, name) for name in ("duplicate_groups", "duplicate_files", "duplicate_bytes")] ==
                   [[1], [5], [5 * 16]], samples)


def test_cold_caches_or_a_status():
    with Work() as work:
        time = application(work.run(deque("chase_lev"), "walk", "cache=cold", *SMALL_WALK), "run_time")
        expect(time == ["denied"] or time[0] > 0, time)
        nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        tree = work.path / "tree"
        tree.mkdir()
        tree.chmod(0o755)
        expect(application(work.run(shared_executable(work), "walk", "cache=cold", f"path={tree}", **nobody),
                           "run_time") == ["denied"], "not root")


def shared_executable(work, workload="walk"):
    """chase_lev's, where everybody may run it."""
    copy = work.path / workload / "chase_lev"
    if not copy.exists():
        copy.parent.mkdir()
        shutil.copy(deque("chase_lev", workload), copy)
        copy.chmod(0o755)
    return copy


def test_what_cannot_be_read():
    with Work() as work:
        nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        tree = work.path / "tree"
        (tree / "closed" / "inner").mkdir(parents=True)
        (tree / "open").mkdir()
        (tree / "secret").write_text("x")
        (tree / "secret").chmod(0)
        (tree / "closed").chmod(0)
        (tree / "blind" / "inner").mkdir(parents=True)  # may be listed, not entered
        (tree / "blind").chmod(0o444)
        samples = work.run(shared_executable(work), "walk", f"path={tree}", "threads=2", **nobody)
        expect([application(samples, name) for name in ("directories", "files", "unreadable")] == [[5], [1], [2]], samples)
        expect("cannot read closed: Permission denied" in work.errors, work.errors)
        samples = work.run(shared_executable(work, "duplicates"), "duplicates", f"path={tree}", "threads=2", **nobody)
        expect(is_unsupported(samples, "duplicates") or application(samples, "unreadable") == [3], samples)
        work.run(shared_executable(work), "walk", f"path={tree / 'closed'}", code=2, **nobody)
        expect("Permission denied" in work.errors, work.errors)
        (tree / "closed").chmod(0o755)
        (tree / "blind").chmod(0o755)


# --- bad input, wrong answers

def test_bad_input():
    with Work() as work:
        (work.path / "file").write_text("x")
        for workload in ("walk", "duplicates"):
            work.run(deque("chase_lev", workload), workload, "path=/nowhere/at/all", code=2)
            expect("No such file or directory" in work.errors, work.errors)
            work.run(deque("chase_lev", workload), workload, f"path={work.path / 'file'}", code=2)
            expect("Not a directory" in work.errors, work.errors)
        expect([path.name for path in work.path.iterdir()] == ["file"], "nothing was made")


def test_a_tree_that_was_tampered_with_is_a_wrong_answer():
    with Work() as work:
        work.run(deque("chase_lev"), "walk", *SMALL_WALK)
        work.run(deque("chase_lev", "duplicates"), "duplicates", *SMALL_FILES)
        for tree in (work.path / "stealbench-inputs").iterdir():
            victim = next(path for path in tree.rglob("f*") if path.is_file())
            if tree.name.startswith("walk"):
                victim.unlink()
            else:
                victim.write_bytes(victim.read_bytes()[:-1] + b"\0")
        work.run(deque("chase_lev"), "walk", *SMALL_WALK, code=1)
        expect("files 199 instead of 200" in work.errors and "made again" in work.errors, work.errors)
        expect(len(list((work.path / "stealbench-inputs").iterdir())) == 2, "no tree was left behind")


if __name__ == "__main__":
    run_tests(globals())
