#!/usr/bin/env bash
# Packages: systemd 252 (Debian 12)
# Guess: `OnCalendar=*-*-* 02:30` fires once on each day; on the night when 02:30 does not exist, it fires at 03:30 or at 03:00, as cron's
#   daemon does.
# Seen: that day has no run at all: 28 March 02:30 is followed by 30 March 02:30. In autumn, when 02:30 comes twice, it fires once, at the
#   first. A time with a zone of its own (`UTC`) has no gap.
# Matters: a nightly backup or report is missing once a year, in one time zone and not in the next, and `Persistent=true` does not help: no
#   run was due. Keep daily timers out of 01:00 to 03:00, or give them `UTC`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need systemd-analyze
[ -e /usr/share/zoneinfo/Europe/Berlin ] || cannot "time zones are missing (Debian: apt-get install tzdata)"
systemd-analyze --version | head -n 1
runs() {
  TZ=$1 systemd-analyze calendar --iterations=3 --base-time="$2" "$3" | sed -n 's/^ *\(Next elapse\|Iter. #[0-9]*\|Iteration #[0-9]*\): [A-Z][a-z][a-z] [0-9]*-//p' | paste -sd, -
}
expect "spring, 02:30 in Berlin" "03-28 02:30:00 CET,03-30 02:30:00 CEST,03-31 02:30:00 CEST" \
  "$(runs Europe/Berlin '2026-03-28 00:00:00 UTC' '*-*-* 02:30')"
expect "spring, 03:30 in Berlin" "03-28 03:30:00 CET,03-29 03:30:00 CEST,03-30 03:30:00 CEST" \
  "$(runs Europe/Berlin '2026-03-28 00:00:00 UTC' '*-*-* 03:30')"
expect "spring, 01:30 UTC in Berlin" "03-28 02:30:00 CET,03-29 03:30:00 CEST,03-30 03:30:00 CEST" \
  "$(runs Europe/Berlin '2026-03-28 00:00:00 UTC' '*-*-* 01:30 UTC')"
expect "spring, 02:30 in New York, on another day" "03-07 02:30:00 EST,03-09 02:30:00 EDT,03-10 02:30:00 EDT" \
  "$(runs America/New_York '2026-03-07 00:00:00 UTC' '*-*-* 02:30')"
expect "autumn, 02:30 in Berlin" "10-24 02:30:00 CEST,10-25 02:30:00 CEST,10-26 02:30:00 CET" \
  "$(runs Europe/Berlin '2026-10-24 00:00:00 UTC' '*-*-* 02:30')"
finish
