#!/usr/bin/env bash
# Packages: APScheduler 3.11.3, croniter 7.0.0, cronsim 2.8 (PyPI), cron-parser 5.10.6 (npm)
# Guess: `CronTrigger.from_crontab("0 9 * * 1")`, which takes a standard crontab expression, runs on Mondays.
# Seen: it runs on Tuesdays: APScheduler counts weekdays from Monday = 0, in `from_crontab` too. "1-5", the working days, are Tuesday to
#   Saturday, 7 is an error and 0 is Monday. croniter, cronsim and cron-parser run the same text on Mondays.
# Matters: A weekly job that moved from a crontab runs a day late, for ever and without an error. Write `mon`, `tue` and so on, which mean
#   the same everywhere.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

pip_install apscheduler==3.11.3 croniter==7.0.0 cronsim==2.8
npm_install cron-parser@5.10.6
cat >days.py <<'PY'
import sys
from datetime import datetime, timezone
from apscheduler.triggers.cron import CronTrigger
from croniter import croniter
from cronsim import CronSim
library, text = sys.argv[1:]
start = datetime(2026, 11, 1, 12, tzinfo=timezone.utc)
def by_trigger():
    trigger, last = CronTrigger.from_crontab(text, timezone="UTC"), start
    while True:
        last = trigger.get_next_fire_time(last, last)
        yield last
def by_croniter():
    runs = croniter(text, start)
    while True:
        yield runs.get_next(datetime)
try:
    runs = {"APScheduler": by_trigger, "croniter": by_croniter, "cronsim": lambda: CronSim(text, start)}[library]()
    week = {next(runs).isoweekday() for _ in range(20)}
    print(" ".join("Mon Tue Wed Thu Fri Sat Sun".split()[day - 1] for day in sorted(week)))
except ValueError:
    print("refused")
PY
cat >days.mjs <<'JS'
import { CronExpressionParser } from 'cron-parser';
const runs = CronExpressionParser.parse('0 9 * * 1', { tz: 'UTC' });
console.log(new Set(Array.from({ length: 20 }, () => runs.next().toDate().toUTCString().slice(0, 3))).values().next().value);
JS
expect "APScheduler, 0 9 * * 1" "Tue" "$(python days.py APScheduler '0 9 * * 1')"
expect "APScheduler, 0 9 * * 1-5" "Tue Wed Thu Fri Sat" "$(python days.py APScheduler '0 9 * * 1-5')"
expect "APScheduler, 0 9 * * 0" "Mon" "$(python days.py APScheduler '0 9 * * 0')"
expect "APScheduler, 0 9 * * 7" "refused" "$(python days.py APScheduler '0 9 * * 7')"
expect "APScheduler, 0 9 * * mon" "Mon" "$(python days.py APScheduler '0 9 * * mon')"
expect "croniter, 0 9 * * 1" "Mon" "$(python days.py croniter '0 9 * * 1')"
expect "cronsim, 0 9 * * 1-5" "Mon Tue Wed Thu Fri" "$(python days.py cronsim '0 9 * * 1-5')"
expect "cron-parser, 0 9 * * 1" "Mon" "$(node days.mjs)"
finish
