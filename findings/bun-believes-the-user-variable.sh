#!/usr/bin/env bash
# Packages: bun 1.4.5 (npm: @oven/bun-linux-x64, @oven/bun-linux-aarch64), Node.js 20
# Guess: `os.userInfo()` asks the system who the process runs as, in Bun as in Node.js; that is what sets it apart from the environment.
# Seen: Bun takes the name from $USER, the home from $HOME and the shell from $SHELL, and only the numbers from the system. Without $USER the name
#   is "unknown". Node.js reads all of them from the user database, and throws if the user is not in it.
# Matters: a program that was tested on Node.js and runs on Bun (as agents that ship as one file do) names its locks, sockets or folders after
#   "unknown" in services, containers and sandboxes with a cleared environment, so that users share them. Use the uid.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need node id
case "$(uname -s) $(uname -m)" in
  'Linux x86_64') package=@oven/bun-linux-x64 ;;
  'Linux aarch64') package=@oven/bun-linux-aarch64 ;;
  *) cannot "this finding knows the packages for Linux only" ;;
esac
npm_install "$package@1.4.5"
bun=$work/node_modules/$package/bin/bun
cat >who.js <<'JS'
import { userInfo } from 'node:os';
const { username, homedir, shell, uid } = userInfo();
console.log(username, homedir, shell, uid);
JS
entry=$(getent passwd "$(id -u)") || cannot "the user is not in the user database"
IFS=: read -r user _ uid _ _ home shell <<<"$entry"
expect "Bun, variables set" "someone /nowhere /bin/other $uid" "$(USER=someone HOME=/nowhere SHELL=/bin/other "$bun" who.js)"
expect "Bun, no \$USER" "unknown" "$(env -u USER "$bun" who.js | cut -d' ' -f1)"
expect "Node.js, variables set" "$user $home $shell $uid" "$(USER=someone HOME=/nowhere SHELL=/bin/other node who.js)"
finish
