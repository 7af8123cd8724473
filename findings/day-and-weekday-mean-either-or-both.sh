#!/usr/bin/env bash
# Packages: cron-parser 5.10.6, croner 11.0.1, cron 4.4.0, node-cron 4.6.0 (npm), croniter 7.0.0, cronsim 2.8, APScheduler 3.11.3 (PyPI)
# Guess: A day of the month and a weekday in one expression mean "either", as crontab(5) says: `0 0 13 * 5` runs on each 13th and on each
#   Friday. A library that says otherwise says so loudly.
# Seen: node-cron and APScheduler run it on Fridays the 13th alone. For `*/2`, a star with a step, cronsim wants both, as Debian's cron does,
#   while cron-parser, croner, cron and croniter want either. For `1-31`, all days, cron wants both and the others of these either.
# Matters: An expression that is checked or shown by one library and run by another runs two times a year instead of five times a month.
#   Use one of the two fields, and test the day in the job.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install cron-parser@5.10.6 croner@11.0.1 cron@4.4.0 node-cron@4.6.0
pip_install croniter==7.0.0 cronsim==2.8 apscheduler==3.11.3
cat >runs.mjs <<'JS'
import { CronTime } from 'cron';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { createTask } from 'node-cron';
const count = 12;
const libraries = {
  'cron-parser': (text) => { const runs = CronExpressionParser.parse(text, { tz: 'UTC' }); return Array.from({ length: count }, () => runs.next().toDate()); },
  croner: (text) => new Cron(text, { timezone: 'UTC', paused: true }).nextRuns(count),
  cron: (text) => new CronTime(text, 'UTC').sendAt(count).map((time) => time.toJSDate()),
  'node-cron': (text) => createTask(text, () => {}, { timezone: 'UTC' }).getNextRuns(count),
};
for (const [text, day, weekday] of JSON.parse(process.argv[2]))
  for (const [library, runs] of Object.entries(libraries)) {
    const fits = (time) => (day[0] === 'odd' ? time.getUTCDate() % 2 === 1 : day.includes(time.getUTCDate())) && time.getUTCDay() === weekday;
    console.log(`${library} ${text}: ${runs(text).every(fits) ? 'both' : 'either'}`);
  }
process.exit();
JS
cat >runs.py <<'PY'
import json, sys
from datetime import datetime, timezone
from apscheduler.triggers.cron import CronTrigger
from croniter import croniter
from cronsim import CronSim
start, count = datetime.now(timezone.utc), 12
def by_trigger(text):
    # APScheduler's weekdays begin on Monday; a name means the same day everywhere.
    trigger, found = CronTrigger.from_crontab(text[:-1] + ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][int(text[-1])], timezone="UTC"), []
    for _ in range(count):
        found.append(trigger.get_next_fire_time(found[-1] if found else None, found[-1] if found else start))
    return found
libraries = {
    "croniter": lambda text: [run.get_next(datetime) for run in [croniter(text, start)] for _ in range(count)],
    "cronsim": lambda text: [next(run) for run in [CronSim(text, start)] for _ in range(count)],
    "APScheduler": by_trigger,
}
for text, day, weekday in json.loads(sys.argv[1]):
    for library, runs in libraries.items():
        fits = lambda time: (time.day % 2 if day[0] == "odd" else time.day in day) and time.isoweekday() % 7 == weekday
        print(f"{library} {text}: {'both' if all(map(fits, runs(text))) else 'either'}")
PY
tests='[["0 0 13 * 5", [13], 5], ["0 0 */2 * 1", ["odd"], 1], ["0 0 1-31 * 1", [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31], 1]]'
node runs.mjs "$tests" >seen.txt
python runs.py "$tests" >>seen.txt
of() { grep -F " $1: " seen.txt | sed "s#^\([^ ]*\) .*: #\1 #" | awk -v how="$2" '$2 == how { print $1 }' | sort | paste -sd' ' -; }
expect "0 0 13 * 5: either" "cron cron-parser croner croniter cronsim" "$(of '0 0 13 * 5' either)"
expect "0 0 13 * 5: both" "APScheduler node-cron" "$(of '0 0 13 * 5' both)"
expect "0 0 */2 * 1: either" "cron cron-parser croner croniter" "$(of '0 0 */2 * 1' either)"
expect "0 0 */2 * 1: both" "APScheduler cronsim node-cron" "$(of '0 0 */2 * 1' both)"
expect "0 0 1-31 * 1: Mondays alone" "APScheduler cron node-cron" "$(of '0 0 1-31 * 1' both)"
expect "0 0 1-31 * 1: each day" "cron-parser croner croniter cronsim" "$(of '0 0 1-31 * 1' either)"
finish
