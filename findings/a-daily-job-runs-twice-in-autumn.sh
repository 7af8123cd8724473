#!/usr/bin/env bash
# Packages: croniter 7.0.0, APScheduler 3.11.3, cronsim 2.8 (PyPI), croner 11.0.1, cron-parser 5.10.6, cron 4.4.0 (npm)
# Guess: `30 2 * * *` runs once a day, also on the night when 02:30 comes twice, as with Debian's cron; `*/30 * * * *` runs at both.
# Seen: croniter and APScheduler run the daily job twice on that night, an hour apart; cronsim, croner, cron-parser and cron run it once. All
#   run `*/30` at both. In spring, when there is no 02:30, cron-parser and APScheduler run at 03:30 and the others at 03:00.
# Matters: A daily invoice, mail or backup is made twice on that night by Python's two best known libraries. Keep daily jobs out of 01:00 to
#   03:00, schedule them in UTC, or make them safe to repeat.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install croniter==7.0.0 cronsim==2.8 apscheduler==3.11.3 tzdata==2026.6
npm_install cron-parser@5.10.6 croner@11.0.1 cron@4.4.0
cat >runs.py <<'PY'
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo
from apscheduler.triggers.cron import CronTrigger
from croniter import croniter
from cronsim import CronSim
zone = ZoneInfo("Europe/Berlin")
def by_trigger(text, start):
    trigger, last = CronTrigger.from_crontab(text, timezone=zone), None
    while True:
        last = trigger.get_next_fire_time(last, last or start)
        yield last
def by_croniter(text, start):
    runs = croniter(text, start)
    while True:
        yield runs.get_next(datetime)
for name, library in {"croniter": by_croniter, "APScheduler": by_trigger, "cronsim": CronSim}.items():
    for night, text, month, day in ("autumn", "30 2 * * *", 10, 25), ("spring", "30 2 * * *", 3, 29), ("half hours", "*/30 * * * *", 10, 25):
        start, seen = datetime(2026, month, day, tzinfo=zone), []
        for time in library(text, start - timedelta(seconds=1)):
            # A time that does not exist, such as 02:30 in spring, is shown as the time that clocks show.
            time = datetime.fromtimestamp(time.timestamp(), zone)
            if time.day != day or time.hour > 3:
                break
            if night != "half hours" or time.hour == 2:
                seen.append(f"{time:%H:%M}")
        print(f"{name} {night}: {' '.join(seen)}")
PY
cat >runs.mjs <<'JS'
import { CronTime } from 'cron';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { DateTime } from 'luxon';
const zone = 'Europe/Berlin';
function* byCron(text, start) {
  const time = new CronTime(text, zone);
  for (let last = DateTime.fromJSDate(start, { zone }); ; ) yield (last = time.getNextDateFrom(last, zone)).toJSDate();
}
const libraries = {
  'cron-parser': function* (text, currentDate) { const runs = CronExpressionParser.parse(text, { currentDate, tz: zone }); while (true) yield runs.next().toDate(); },
  croner: (text, start) => new Cron(text, { timezone: zone, paused: true }).nextRuns(30, start),
  cron: byCron,
};
const nights = [['autumn', '30 2 * * *', '2026-10-24T21:59:59Z'], ['spring', '30 2 * * *', '2026-03-28T22:59:59Z'], ['half hours', '*/30 * * * *', '2026-10-24T21:59:59Z']];
for (const [name, library] of Object.entries(libraries))
  for (const [night, text, from] of nights) {
    const seen = [];
    for (const run of library(text, new Date(from))) {
      const time = DateTime.fromJSDate(run, { zone });
      if (run - new Date(from) > 18_000_000) break;
      if (night !== 'half hours' || time.hour === 2) seen.push(time.toFormat('HH:mm'));
    }
    console.log(`${name} ${night}: ${seen.join(' ')}`);
  }
JS
python runs.py >seen.txt
node runs.mjs >>seen.txt
for library in croniter APScheduler; do expect "$library in autumn" "02:30 02:30" "$(seen "$library autumn")"; done
for library in cronsim cron-parser croner cron; do expect "$library in autumn" "02:30" "$(seen "$library autumn")"; done
for library in croniter APScheduler cronsim cron-parser croner cron; do
  expect "$library, each half hour" "02:00 02:30 02:00 02:30" "$(seen "$library half hours")"
done
for library in croniter cronsim croner cron; do expect "$library in spring" "03:00" "$(seen "$library spring")"; done
for library in APScheduler cron-parser; do expect "$library in spring" "03:30" "$(seen "$library spring")"; done
finish
