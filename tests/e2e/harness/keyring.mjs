/*
 * A session of a person with a real Secret Service: an own D-Bus and GNOME's keyring, which nothing else can reach or
 * start, and programs that record how they are called.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from './wait.mjs';

const KEYRING = 'gnome-keyring-daemon';
const COLLECTION = '/org/freedesktop/secrets/collection/login';

/** Returns the absolute path of a program, or undefined. */
export function programAt(name) {
  const folders = (process.env.PATH ?? '').split(':');
  return folders.map((folder) => path.join(folder, name)).find((file) => path.isAbsolute(file) && existsSync(file));
}

/** Returns the reason why tests with these programs can't run here, or false. */
export const lacks = (...names) => {
  if (process.platform !== 'linux') return 'no Secret Service';
  const missing = names.filter((name) => !programAt(name));
  return missing.length > 0 && `no ${missing.join(', ')}`;
};

/** The reason why no keyring can be started here, or false. */
export const noKeyring = lacks('dbus-daemon', 'dbus-send', KEYRING, 'secret-tool');

export class KeyringSession {
  /** What unlocks the keyring. */
  password = 'the keyring opens with this';

  /** Starts the bus, on which no service is started by asking for it. */
  static async open() {
    const session = new KeyringSession();
    session.folder = mkdtempSync(path.join(tmpdir(), 'gs-'));
    for (const name of ['home', 'run', 'data', 'bin']) mkdirSync(path.join(session.folder, name), { mode: 0o700 });
    const config = path.join(session.folder, 'bus.conf');
    writeFileSync(
      config,
      `<busconfig><type>session</type><listen>unix:path=${session.folder}/bus</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>`,
    );
    session.bus = spawn('dbus-daemon', ['--nofork', '--nopidfile', `--config-file=${config}`], { stdio: 'ignore' });
    await until(() => existsSync(path.join(session.folder, 'bus')), 'the bus does not start');
    return session;
  }

  /** The variables of this session. Programs are found in `bin` first. */
  get variables() {
    return {
      PATH: `${this.folder}/bin:${process.env.PATH}`,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${this.folder}/bus`,
      XDG_RUNTIME_DIR: path.join(this.folder, 'run'),
      XDG_DATA_HOME: path.join(this.folder, 'data'),
    };
  }

  get #environment() {
    return { ...this.variables, PATH: process.env.PATH, HOME: path.join(this.folder, 'home') };
  }

  /** Records the arguments and the environment of each call of a program, then runs it. */
  record(name) {
    const file = path.join(this.folder, 'bin', name);
    const record = path.join(this.folder, 'calls');
    writeFileSync(file, `#!/bin/sh\ncat /proc/$$/cmdline /proc/$$/environ >> '${record}'\nexec '${programAt(name)}' "$@"\n`);
    chmodSync(file, 0o755);
  }

  /** Returns the arguments and environments of all recorded calls. */
  calls() {
    return readFileSync(path.join(this.folder, 'calls'), 'latin1');
  }

  /** Starts the keyring, unlocked. */
  async start() {
    this.keyring = spawn(KEYRING, ['--foreground', '--unlock', '--components=secrets'], {
      env: this.#environment,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.keyring.stdin.end(this.password);
    await until(() => this.#answers(), 'the keyring does not answer');
  }

  #answers() {
    const method = 'org.freedesktop.DBus.Properties.Get';
    try {
      const answer = this.#send(COLLECTION, method, 'string:org.freedesktop.Secret.Collection', 'string:Locked');
      return answer.includes('boolean false');
    } catch {
      return false;
    }
  }

  #send(object, method, ...values) {
    return execFileSync('dbus-send', ['--session', '--print-reply', '--dest=org.freedesktop.secrets', object, method, ...values], {
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).toString();
  }

  /** Locks it. Nobody is there to answer its prompts. */
  lock() {
    this.#send('/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.Lock', `array:objpath:${COLLECTION}`);
  }

  /** Lets it answer nothing more. */
  hang() {
    this.keyring.kill('SIGSTOP');
  }

  /** Lets it answer again. */
  goOn() {
    this.keyring.kill('SIGCONT');
  }

  /** Ends it. Its file stays. */
  async end() {
    const ended = once(this.keyring, 'exit');
    this.keyring.kill('SIGKILL');
    await ended;
    this.keyring = undefined;
  }

  /** Calls the real `secret-tool`, past the record; returns its output, or '' if it fails. */
  secretTool(args, input = '') {
    try {
      return execFileSync('secret-tool', args, { env: this.#environment, input, stdio: ['pipe', 'pipe', 'ignore'] }).toString();
    } catch {
      return '';
    }
  }

  async close() {
    for (const child of [this.keyring, this.bus]) {
      if (!child || child.exitCode !== null || child.signalCode) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
