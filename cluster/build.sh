#!/usr/bin/env bash
# build.sh ARGUMENT...: a job that python3 -m cluster.slurm --build-on-node waits for, in the suite's folder: builds on a node
# of the kind that measures, and divides the run. ARGUMENT...: stealbench's.
exec ./run.sh "$@"
