#!/bin/sh
# Runs a command for each lifecycle event; the event, as CloudEvents JSON, is its standard input.
#
#   on-event.sh NAME COMMAND [ARGUMENT ...]
#   FLAGS="--kind rayjob --event failed" on-event.sh alarms ./page-somebody.sh
#
# NAME is where its place is kept: started again, it goes on where it stood. An event that the command
# failed for (exit code not 0) is told of and left behind. NATS_URL says where NATS is.
set -eu

name=$1
shift

# Words on purpose: FLAGS are several flags.
# shellcheck disable=SC2086
heliograph subscribe --durable "$name" ${FLAGS:-} -o cloudevents | while IFS= read -r event; do
    printf '%s\n' "$event" | "$@" || echo "on-event: $1 failed for $event" >&2
done
