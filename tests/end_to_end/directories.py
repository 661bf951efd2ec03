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

BUILD = Path("build/deques")
USER = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
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

    def ended(self, workload, *settings, deque="chase_lev", **more):
        """One invocation of a deque's executable, or of one by its path: how it ended."""
        executable = deque if isinstance(deque, Path) else BUILD / workload / deque
        done = subprocess.run([str(executable), "--run", workload, *settings], env=os.environ | {"TMPDIR": str(self.path)},
                              capture_output=True, timeout=120, check=False, **more)
        self.errors = done.stderr.decode(errors="replace")
        return done

    def run(self, workload, *settings, code=0, **more):
        """The samples of one invocation: {(role, metric): [values of its repetitions, a status where there is none]}."""
        done = self.ended(workload, *settings, **more)
        expect(done.returncode == code, f"{workload} {settings}: exit code {done.returncode}, not {code}: {self.errors[-2000:]}")
        samples = {}
        for line in done.stdout.decode().splitlines():
            fields = line.split("\t")
            if fields[0] == "sample":
                value = float(fields[4]) if fields[6] == "ok" else fields[6]
                samples.setdefault((fields[1], fields[3]), []).append(value)
        return samples

    def for_all(self, workload):
        """chase_lev's executable, where everybody may run it."""
        copy = self.path / f"chase_lev.{workload}"
        shutil.copy(BUILD / workload / "chase_lev", copy)
        copy.chmod(0o755)
        return copy


def told(samples, *metrics):
    """The first value of each."""
    return [samples["pool", metric][0] for metric in metrics]


def is_unsupported(samples, workload):
    return samples.get(("process", workload)) == ["unsupported"]


def test_every_deque_walks_and_finds_duplicates():
    served = {"walk": 0, "duplicates": 0}
    with Work() as work:
        for workload in served:
            for deque in sorted(path.name for path in (BUILD / workload).iterdir() if path.is_file() and os.access(path, os.X_OK)):
                for settings in (SMALL_WALK,) if workload == "walk" else (SMALL_FILES, [*SMALL_FILES, "task=block"]):
                    samples = work.run(workload, "threads=3", "--repetitions=2", *settings, deque=deque)
                    if is_unsupported(samples, workload):
                        continue
                    served[workload] += 1
                    if workload == "walk":
                        expect(told(samples, "directories", "files", "symlinks", "unreadable") == [60, 200, 7, 0], (deque, samples))
                        expect(samples["worker", "tasks"] == [60] * 2, (deque, "a task a directory"))
                    else:
                        expect(samples["pool", "duplicate_files"] == [30, 30], (deque, samples))
    expect(served["walk"] >= 3 and (served["duplicates"] >= 4 or not has_xxhash()), served)


def has_xxhash():
    return shutil.which("cpp") and "xxhash" in subprocess.run(["cpp", "-M", "-"], input="#include <xxhash.h>\n", text=True,
                                                              capture_output=True, check=False).stdout


def test_versions_agree():
    with Work() as work:
        for version, threads, tree in (("one_thread", 1, "built"), ("shared_queue", 1, "counted"), ("shared_queue", 4, "built"),
                                       ("pool", 2, "built")):
            samples = work.run("walk", f"version={version}", f"threads={threads}", f"tree={tree}", *SMALL_WALK)
            expect(told(samples, "directories") == [60], samples)
            expect((("worker", "tasks") in samples) == (version == "pool"), samples)
            # A version without the pool tells its own costs, once a repetition.
            expect(0 < told(samples, "processor_time")[0] < 10 and len(samples["pool", "processor_time"]) == 1, samples)
        expect(is_unsupported(work.run("walk", "threads=2", *SMALL_WALK, deque="empty"), "walk"), "empty keeps nothing")
        work.run("walk", "version=shared_queue", "threads=2", *SMALL_WALK, deque="empty")
        expect(is_unsupported(work.run("walk", "version=one_thread", "threads=2", deque="empty"), "walk"), "two threads")


def test_too_few_descriptors_are_no_wrong_answer():
    """With any number of descriptors: the right answer, or a message that there are too few; both must occur."""
    with Work() as work:
        tree = work.path / "tree"
        for i in range(20):
            (tree / f"d{i}" / "e" / "f" / "g").mkdir(parents=True)
            for j in range(4):
                (tree / f"d{i}" / f"file{j}").write_text(str(j % 3))
        for workload, *settings in (["walk", f"path={tree}", "threads=4"], ["walk", f"path={tree}", "version=one_thread", "threads=1"],
                                    ["walk", f"path={tree}", "version=shared_queue", "threads=4"], ["walk", *SMALL_WALK, "threads=4"],
                                    ["duplicates", *SMALL_FILES, "threads=4"]):
            if is_unsupported(work.run(workload, *settings), workload):
                continue
            codes, names_the_limit = set(), False
            for most in (*range(4, 40, 5), 48, 256):
                limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
                code = work.ended(workload, *settings, preexec_fn=limit).returncode
                if code == 127 and "shared librar" in work.errors:  # not even the program can be loaded
                    continue
                expect(code == 0 or code == 3 and "Too many open files" in work.errors, (workload, settings, most, code, work.errors))
                names_the_limit |= f"`ulimit -n` allows {most})" in work.errors
                codes.add(code)
            expect(codes == {0, 3} and names_the_limit, (workload, settings, codes))


def test_a_real_tree_with_any_names():
    with Work() as work:
        tree = work.path / "tree"
        for name in [b"new\nline", b"\xff\xfe", b"-rf", b"...", b" ", b"x" * 255]:
            inner = os.path.join(os.fsencode(tree), name, name)
            os.makedirs(inner)
            os.symlink(b"..", os.path.join(inner, b"up"))
            os.mknod(os.path.join(inner, b"file\n"), 0o644)
        for version in ("one_thread", "shared_queue", "pool"):
            samples = work.run("walk", f"path={tree}", f"version={version}")
            expect(told(samples, "directories", "files", "symlinks", "others") == [13, 6, 6, 0], samples)


def test_cold_caches_or_a_status():
    with Work() as work:
        [time] = told(work.run("walk", "cache=cold", *SMALL_WALK), "run_time")
        expect(time == "denied" or time > 0, time)
        (work.path / "tree").mkdir()
        samples = work.run("walk", "cache=cold", f"path={work.path / 'tree'}", deque=work.for_all("walk"), **USER)
        expect(told(samples, "run_time") == ["denied"], "not root")


def test_what_cannot_be_read():
    with Work() as work:
        tree, walk = work.path / "tree", work.for_all("walk")
        for folder in ("closed/inner", "open", "blind/inner"):
            (tree / folder).mkdir(parents=True)
        (tree / "secret").write_text("x")
        for path, mode in (("secret", 0), ("closed", 0), ("blind", 0o444)):  # blind: may be listed, not entered
            (tree / path).chmod(mode)
        samples = work.run("walk", f"path={tree}", "threads=2", deque=walk, **USER)
        expect(told(samples, "directories", "files", "unreadable") == [5, 1, 2], samples)
        expect("cannot read closed: Permission denied" in work.errors, work.errors)
        work.run("walk", f"path={tree / 'closed'}", code=2, deque=walk, **USER)
        expect("Permission denied" in work.errors, work.errors)
        for path in ("closed", "blind"):
            (tree / path).chmod(0o755)


def test_bad_input():
    with Work() as work:
        (work.path / "file").write_text("x")
        for path, why in (("/nowhere/at/all", "No such file or directory"), (work.path / "file", "Not a directory")):
            work.run("walk", f"path={path}", code=2)
            expect(why in work.errors, work.errors)
        expect([path.name for path in work.path.iterdir()] == ["file"], "nothing was made")


def test_a_tree_that_was_tampered_with_is_a_wrong_answer():
    with Work() as work:
        work.run("walk", *SMALL_WALK)
        work.run("duplicates", *SMALL_FILES)
        for tree in (work.path / "stealbench-inputs").iterdir():
            victim = next(path for path in tree.rglob("f*") if path.is_file())
            if tree.name.startswith("walk"):
                victim.unlink()
            else:
                victim.write_bytes(victim.read_bytes()[:-1] + b"\0")
        work.run("walk", *SMALL_WALK, code=1)
        expect("files 199 instead of 200" in work.errors and "made again" in work.errors, work.errors)
        expect(len(list((work.path / "stealbench-inputs").iterdir())) == 2, "no tree was left behind")


if __name__ == "__main__":
    run_tests(globals())
