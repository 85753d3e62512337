#!/usr/bin/env bash
# Gradescope runs this once, as root, when the autograder is made: Python, the sandbox, and radixlab in a place of its own.
set -eu
root="${AUTOGRADER:-/autograder}"
cd "$root/source"

apt-get update
apt-get install -y bubblewrap python3 python3-venv
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  apt-get install -y python3.11 python3.11-venv
  python=python3.11
fi
"$python" -m venv "$root/venv"
"$root/venv/bin/python" -m pip install --no-cache-dir -r requirements.txt
"$root/venv/bin/python" -m radixlab --version
