#!/usr/bin/env bash
# Packages: cronstrue 3.39.0, cron-parser 5.10.6 (npm), cron-descriptor 2.2.1, croniter 7.0.0 (PyPI)
# Guess: The English sentence that a library makes of `*/40 * * * *` says what happens: at minute 0 and 40 of each hour.
# Seen: cronstrue and cron-descriptor both say "Every 40 minutes", though 40 and 20 minutes take turns, and "Every 90 minutes" of `*/90`,
#   which cron-parser and croniter run each hour. "Every 5 hours" for `0 */5` leaves out
#   that the last gap of a day has 4.
# Matters: A person who approves a schedule by its sentence approves another one. Show the next runs beside it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install cronstrue@3.39.0 cron-parser@5.10.6
pip_install cron-descriptor==2.2.1 croniter==7.0.0
cat >words.mjs <<'JS'
import { CronExpressionParser } from 'cron-parser';
import cronstrue from 'cronstrue';
for (const text of ['*/40 * * * *', '*/90 * * * *', '0 */5 * * *']) {
  const runs = CronExpressionParser.parse(text, { tz: 'UTC', currentDate: new Date('2026-11-01T23:59:00Z') });
  const times = Array.from({ length: 7 }, () => runs.next().getTime() / 60_000);
  const gaps = times.slice(1).map((time, at) => time - times[at]);
  console.log(`cronstrue ${text}: ${cronstrue.toString(text)}`);
  console.log(`gaps ${text}: ${gaps.join(' ')}`);
}
JS
cat >words.py <<'PY'
from datetime import datetime
from cron_descriptor import get_description
from croniter import croniter
for text in "*/40 * * * *", "*/90 * * * *", "0 */5 * * *":
    runs = croniter(text, datetime(2026, 11, 1, 23, 59))
    times = [runs.get_next() / 60 for _ in range(7)]
    print(f"cron-descriptor {text}: {get_description(text)}")
    print(f"gaps of croniter {text}: {' '.join(str(int(later - sooner)) for sooner, later in zip(times, times[1:]))}")
PY
node words.mjs >seen.txt
python words.py >>seen.txt
of() { grep -F "$1: " seen.txt | grep -F "$1: " | sed 's#.*\*: ##'; }
expect "cronstrue, */40" "Every 40 minutes" "$(of 'cronstrue */40 * * * *')"
expect "cron-descriptor, */40" "Every 40 minutes" "$(of 'cron-descriptor */40 * * * *')"
expect "minutes between runs, */40" "40 20 40 20 40 20" "$(of 'gaps */40 * * * *')"
expect "cronstrue, */90" "Every 90 minutes" "$(of 'cronstrue */90 * * * *')"
expect "cron-descriptor, */90" "Every 90 minutes" "$(of 'cron-descriptor */90 * * * *')"
expect "minutes between runs, */90" "60 60 60 60 60 60" "$(of 'gaps */90 * * * *')"
expect "the same in croniter" "60 60 60 60 60 60" "$(of 'gaps of croniter */90 * * * *')"
expect "cronstrue, 0 */5" "On the hour, every 5 hours" "$(of 'cronstrue 0 */5 * * *')"
expect "minutes between runs, 0 */5" "300 300 300 300 240 300" "$(of 'gaps 0 */5 * * *')"
finish
