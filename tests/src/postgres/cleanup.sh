# Each input line contains the server's process id, or is empty if there is no server. When the input ends, this
# script shuts the server down immediately (SIGQUIT) and removes its directory.
#
# A killed server leaves a shared memory segment behind. The seventh line of its lock file contains the segment's id.
trap '' HUP INT TERM
server=
while read -r line; do server=$line; done
lock=$1/data/postmaster.pid
if [ -n "$server" ]; then
    kill -s QUIT "$server"
    kill -s CONT "$server"
    tries=0
    while [ -e "$lock" ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
    kill -s KILL "$server"
fi
if [ -e "$lock" ]; then ipcrm -m "$(sed -n '7s/.* //p' "$lock")"; fi
tries=0
until rm -rf "$1" || [ $tries -eq 100 ]; do sleep 0.05; tries=$((tries + 1)); done
