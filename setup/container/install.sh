#!/bin/sh
# install.sh [SNAPSHOT]: while a container is made, installs what the suite needs, from Debian's archive as it was at SNAPSHOT
# (snapshot.debian.org) or as it is now. Call it in a folder with run.sh and setup/.
set -eu
if [ -n "${1-}" ]; then
  rm -f /etc/apt/sources.list.d/*
  for archive in "debian bookworm" "debian bookworm-updates" "debian-security bookworm-security"; do
    echo "deb [check-valid-until=no] http://snapshot.debian.org/archive/${archive%% *}/$1 ${archive#* } main"
  done > /etc/apt/sources.list
fi
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends bash gawk ca-certificates
./run.sh setup
rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*
# The installed versions, for later questions.
dpkg-query -W > /etc/stealbench-packages.txt
