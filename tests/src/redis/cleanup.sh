# Each input line contains the server's process id, or is empty if there is no server. When the input ends, this script
# kills the server and removes its directory.
trap '' HUP INT TERM
server=
while read -r line; do server=$line; done
if [ -n "$server" ]; then kill -s KILL "$server"; fi
tries=0
until rm -rf "$1" || [ $tries -eq 100 ]; do sleep 0.05; tries=$((tries + 1)); done
