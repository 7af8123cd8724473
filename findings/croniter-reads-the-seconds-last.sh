#!/usr/bin/env bash
# Packages: croniter 7.0.0, cronsim 2.8 (PyPI), cron-parser 5.10.6, croner 11.0.1, cron 4.4.0, node-cron 4.6.0 (npm)
# Guess: In an expression of six fields the first one is the seconds: `0 30 9 * * 1` means Mondays at 09:30:00.
# Seen: so it is in cronsim and the four JavaScript libraries. croniter takes the last field for the seconds, without an error: for
#   Mondays at 09:20 (`0 20 9 * * 1`) it runs on the 9th of each month at 20:00:01, and half past nine it refuses, because there is no hour 30.
#   With `second_at_beginning=True` it reads both as the others do.
# Matters: A schedule that a web page made and a Python worker runs is another one, and most texts are valid both ways. Keep to five fields,
#   or name the order.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install cron-parser@5.10.6 croner@11.0.1 cron@4.4.0 node-cron@4.6.0
pip_install croniter==7.0.0 cronsim==2.8
cat >runs.py <<'PY'
import sys
from datetime import datetime
from croniter import croniter
from cronsim import CronSim
start = datetime(2026, 12, 1)
def show(name, times):
    try:
        print(f"{name}: {', '.join(time.strftime('%a %d %H:%M:%S') for time in times())}")
    except ValueError:
        print(f"{name}: refused")
text = "0 20 9 * * 1"
show("croniter", lambda: [runs.get_next(datetime) for runs in [croniter(text, start)] for _ in range(2)])
show("croniter, half past", lambda: [croniter("0 30 9 * * 1", start).get_next(datetime)])
show("croniter, seconds first", lambda: [runs.get_next(datetime) for runs in [croniter(text, start, second_at_beginning=True)] for _ in range(2)])
show("cronsim", lambda: [next(runs) for runs in [CronSim(text, start)] for _ in range(2)])
PY
cat >runs.mjs <<'JS'
import { CronTime } from 'cron';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { createTask } from 'node-cron';
const text = '0 20 9 * * 1';
const first = {
  'cron-parser': CronExpressionParser.parse(text, { tz: 'UTC' }).next().toDate(),
  croner: new Cron(text, { timezone: 'UTC', paused: true }).nextRun(),
  cron: new CronTime(text, 'UTC').sendAt().toJSDate(),
  'node-cron': createTask(text, () => {}, { timezone: 'UTC' }).getNextRuns(1)[0],
};
for (const [library, time] of Object.entries(first)) console.log(`${library}: ${time.toUTCString().slice(0, 3)} ${time.toISOString().slice(11, 19)}`);
process.exit();
JS
python runs.py >seen.txt
node runs.mjs >>seen.txt
expect "croniter" "Wed 09 20:00:01, Sat 09 20:00:01" "$(seen croniter)"
expect "croniter, 0 30 9 * * 1" "refused" "$(seen 'croniter, half past')"
expect "croniter, seconds first" "Mon 07 09:20:00, Mon 14 09:20:00" "$(seen 'croniter, seconds first')"
expect "cronsim" "Mon 07 09:20:00, Mon 14 09:20:00" "$(seen cronsim)"
for library in cron-parser croner cron node-cron; do expect "$library" "Mon 09:20:00" "$(seen "$library")"; done
finish
