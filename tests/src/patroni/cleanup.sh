# When its input ends, this script kills all processes in the network's namespaces, and removes the network and the
# cluster's files.
#
# A killed PostgreSQL leaves a shared memory segment behind. The seventh line of its lock file contains the id of that
# segment.
trap '' HUP INT TERM
read -r _
for namespace in $(ip netns list | sed -n "s/^\($1h[0-9]*\)\( .*\)\?$/\1/p"); do
    tries=0
    while processes=$(ip netns pids "$namespace") && [ -n "$processes" ] && [ $tries -lt 100 ]; do
        kill -s KILL $processes
        sleep 0.05
        tries=$((tries + 1))
    done
    ip link del "$1v${namespace#"$1"h}"
    ip netns del "$namespace"
done
ip link del "$1"
for lock in "$2"/*/data/postmaster.pid; do
    if [ -e "$lock" ]; then ipcrm -m "$(sed -n '7s/.* //p' "$lock")"; fi
done
rm -rf "$2"
