#!/usr/bin/env bash
# merge.sh RUN: the job that follows the array, in the suite's folder, whatever became of its elements.
exec ./run.sh merge "$@"
