"""A whole Slurm on this one host, on loopback: munged, slurmctld, and a slurmd for each of its nodes, which pose as machines
of 2 sockets, 64 cores, 128 threads. Everything it writes lies in one folder, and nothing of it outlives close().

It runs as whoever calls it, with its own munge key and socket. It needs Debian's slurm-wlm and munge, whose slurmd can be
started several times on a host (multiple-slurmd).
"""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAMS = {"munged": "munge", "slurmctld": "slurm-wlm", "slurmd": "slurm-wlm", "sbatch": "slurm-wlm",
            "scontrol": "slurm-wlm", "squeue": "slurm-wlm", "srun": "slurm-wlm"}
ENDS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])

# Without cgroups, accounting or another user; and impatient: a node is down when it was silent for five seconds.
CONFIGURATION = """\
ClusterName=small
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,requeue_delay=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
SlurmdTimeout=5
SlurmctldTimeout=5
MessageTimeout=5
KillWait=5
InactiveLimit=0
MinJobAge=300
{nodes}
PartitionName=low Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1 GraceTime=4
PartitionName=high Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
"""


def missing_packages():
    """The Debian packages that are missing or unsuitable."""
    return sorted({package for program, package in PROGRAMS.items() if not shutil.which(program, path=PATH)})


def free_ports(count):
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def wait_for(what, condition, seconds=60):
    """The condition's value as soon as it holds; an AssertionError names the condition that did not."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain for: {what}")
        time.sleep(0.2)
    return value


class SmallSlurm:
    def __init__(self, nodes=3):
        self.names = [f"n{i + 1}" for i in range(nodes)]
        self.folder = Path(tempfile.mkdtemp(prefix="stealbench-slurm-"))
        self.folder.chmod(0o755)
        self.daemons = {}
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": str(self.folder / "slurm.conf")}
        # A job of another Slurm's may run this.
        for name in [name for name in self.environment if name.startswith(("SLURM_", "SBATCH_")) and name != "SLURM_CONF"]:
            del self.environment[name]
        # On a signal Python runs no `with` and no `finally`; as an exception it does.
        for number in ENDS:
            signal.signal(number, self._interrupted)

    @staticmethod
    def _interrupted(number, _):
        raise KeyboardInterrupt(f"signal {number}")

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def _configure(self):
        ports = free_ports(1 + len(self.names))
        for name in ["state"] + [f"spool-{name}" for name in self.names]:
            (self.folder / name).mkdir(mode=0o755)
        node = ("NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} Sockets=2 CoresPerSocket=32 "
                "ThreadsPerCore=2 RealMemory=256 State=UNKNOWN")
        host = socket.gethostname().split(".")[0]
        nodes = [node.format(name=name, port=port, host=host) for name, port in zip(self.names, ports[1:])]
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            folder=self.folder, user=pwd.getpwuid(os.getuid()).pw_name, ports=ports, nodes="\n".join(nodes), host=host))
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)

    def _daemon(self, name, *words):
        """Started in the foreground and in a session of its own, so that it is ours to end."""
        with open(self.folder / f"{name}.out", "ab") as output:
            self.daemons[name] = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                                  env=self.environment, start_new_session=True, cwd=self.folder)

    def _start(self):
        self._configure()
        folder = self.folder
        self._daemon("munged", "munged", "--foreground", "--force", f"--socket={folder}/munge.socket",
                     f"--key-file={folder}/munge.key", f"--pid-file={folder}/munged.pid", f"--seed-file={folder}/munge.seed",
                     f"--log-file={folder}/munged.log", "--num-threads=2")
        wait_for("munged's socket", lambda: (folder / "munge.socket").exists(), 20)
        self._daemon("slurmctld", "slurmctld", "-D", "-c", "-f", str(folder / "slurm.conf"))
        for name in self.names:
            self.start_node(name)
        wait_for("all nodes idle", lambda: self.states() == {name: "idle" for name in self.names}, 60)

    def start_node(self, name):
        self._daemon(name, "slurmd", "-D", "-N", name, "-f", str(self.folder / "slurm.conf"))

    def run(self, *words, timeout=300, **more):
        return subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=timeout, check=False, **more)

    def states(self):
        """{node: state}, without the marks behind it."""
        said = self.run("sinfo", "--noheader", "--Node", "--partition=low", "--format=%N %T").stdout
        return {line.split()[0]: line.split()[1].rstrip("*~#!%$@^-+") for line in said.splitlines() if len(line.split()) == 2}

    def queue(self, *jobs):
        """[(element, state, node)] of unfinished elements."""
        self.hurry(*jobs)
        said = self.run("squeue", "--noheader", "--array", "--format=%i %T %N", f"--jobs={','.join(jobs)}").stdout
        return [tuple((line.split() + [""])[:3]) for line in said.splitlines() if len(line.split()) >= 2]

    def hurry(self, *jobs):
        """Starts requeued jobs at once: Slurm would let them wait for two minutes."""
        said = self.run("squeue", "--noheader", "--array", "--states=PENDING", "--format=%i %r", f"--jobs={','.join(jobs)}")
        for line in said.stdout.splitlines():
            if line.endswith(" BeginTime"):
                self.run("scontrol", "update", f"JobId={line.split()[0]}", "StartTime=now")

    def processes(self, node=None):
        """The numbers of all processes started by this Slurm, whose folder is in their environment or on their command line; of a
        node, its slurmd, its jobs, which have the node's name in their environment, and the slurmstepd above each of these."""
        folder, found = str(self.folder).encode(), set()
        if node in self.daemons and self.daemons[node].poll() is None:
            found.add(self.daemons[node].pid)
        for path in Path("/proc").glob("[0-9]*"):
            try:
                environment = (path / "environ").read_bytes()
                if node is None and int(path.name) != os.getpid() and folder in environment + (path / "cmdline").read_bytes():
                    found.add(int(path.name))
                if node and folder in environment and f"SLURMD_NODENAME={node}".encode() in environment.split(b"\0"):
                    parent = int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])
                    found.add(int(path.name))
                    if "slurmstepd" in Path(f"/proc/{parent}/comm").read_text():
                        found.add(parent)
            except OSError:
                continue
        return sorted(found)

    def kill_node(self, name):
        """As if its plug were pulled: all processes stop before the first is killed, so that none reports another's end."""
        for how in signal.SIGSTOP, signal.SIGSTOP, signal.SIGKILL:
            for number in self.processes(name):
                kill(number, how)
        self.daemons.pop(name).wait(10)

    def lose_node(self, name):
        """As if its cable were pulled: Slurm gives it up, and its jobs go on, because nobody can end them."""
        daemon = self.daemons.pop(name)
        daemon.kill()
        daemon.wait(10)
        self.run("scontrol", "update", f"NodeName={name}", "State=DOWN", "Reason=lost")

    def close(self):
        """Ends all of it, jobs included, and removes the folder. Nothing interrupts that."""
        for number in ENDS:
            signal.signal(number, signal.SIG_IGN)
        for daemon in self.daemons.values():
            daemon.terminate()
        for _ in range(50):
            left = self.processes()
            for daemon in self.daemons.values():
                daemon.poll()
            if not left:
                break
            for number in left:
                kill(number, signal.SIGKILL)
            time.sleep(0.1)
        shutil.rmtree(self.folder, ignore_errors=True)
        for number in ENDS:
            signal.signal(number, signal.SIG_DFL)

    def logs(self):
        """The ends of the daemons' logs, for a failure."""
        return "".join(f"--- {path.name}\n" + "".join(path.read_text(errors="replace").splitlines(True)[-15:])
                       for path in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out")))


def kill(number, how):
    with contextlib.suppress(ProcessLookupError):
        os.kill(number, how)
