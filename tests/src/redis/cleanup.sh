# Each input line contains the process id of the server; an empty line means that there is none. At the end of the input,
# this script kills the server and removes its directory.
trap '' HUP INT TERM
server=
while read -r line; do server=$line; done
if [ -n "$server" ]; then kill -s KILL "$server"; fi
tries=0
until rm -rf "$1" || [ $tries -eq 100 ]; do sleep 0.05; tries=$((tries + 1)); done
