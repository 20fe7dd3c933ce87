# Each input line contains the id of a process. When the input ends, this script kills these processes and removes their
# directory.
trap '' HUP INT TERM
while read -r process; do processes="$processes $process"; done
for process in $processes; do kill -s KILL "$process"; done
rm -rf "$1"
