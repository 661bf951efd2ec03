#!/usr/bin/env bash
# element.sh RUN PARTS REPEATS ARGUMENT...: one element of the job array that python3 -m harness.cluster.slurm submits, in the
# suite's folder: measures part SLURM_ARRAY_TASK_ID of the run, on each of the job's nodes once. ARGUMENT...: stealbench's.
#
# What it has finished is on disk. When the time limit comes near (SIGUSR1) it stops and queues itself again; when the node
# fails, or a job of higher priority wants it (SIGTERM, SIGKILL), Slurm does. The next attempt measures what is left.
set -u
if [ "$1" = --on-node ]; then # in the job's step, once on each node
  shift 4
  # shellcheck disable=SC2154 # exported by the job
  exec build/stealbench "$@" --part="$SLURM_ARRAY_TASK_ID/$parts" --repeat=$((SLURM_PROCID + 1))
fi
run=$1
repeats=$3
limit=''
export parts=$2

finished() {
  cat "$run/parts/$SLURM_ARRAY_TASK_ID"/repeat-*/attempt-*/samples.csv 2> /dev/null | grep -c ',invocation_time,'
}

before=$(finished)
echo "part $SLURM_ARRAY_TASK_ID of $parts, job $SLURM_JOB_ID, start ${SLURM_RESTART_COUNT:-0} on $SLURM_JOB_NODELIST"
trap 'limit=1; scancel --signal=TERM "$SLURM_JOB_ID.0"' USR1
# The step gets SIGTERM by itself. This shell has to be there until Slurm ends it: a job that ends is not queued again.
trap : TERM
# All processors of each node, none bound: the suite decides the places.
srun --nodes="$repeats" --ntasks="$repeats" --ntasks-per-node=1 --cpus-per-task="$SLURM_CPUS_ON_NODE" --cpu-bind=none --mem=0 \
  --kill-on-bad-exit=0 --wait=0 "$PWD/harness/cluster/element.sh" --on-node "$@" &
step=$!
while
  wait "$step"
  status=$?
  [ "$status" -gt 128 ] && kill -0 "$step" 2> /dev/null
do :; done
[ "$status" -gt 128 ] || exit "$status"

if [ -n "$limit" ] && [ "$(finished)" -le "$before" ]; then
  echo "no invocation was finished within the time limit: use a longer --time"
  exit 4
elif [ -n "$limit" ]; then
  echo "the time limit is near: queued again for the rest"
  scontrol requeue "$SLURM_JOB_ID"
fi
for ((second = 0; second < 180; second++)); do
  sleep 1 &
  wait $!
done
exit "$status"
