/*
 * A test's own display with a real keyboard: the X server delivers keys to the focused window, as it does for a person.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from './wait.mjs';

const has = (program) => {
  try {
    execFileSync(program, ['-version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    return error.code !== 'ENOENT';
  }
};

/** The reason why no such test can run here, or false. */
export const noDisplay = process.platform !== 'linux' ? 'no X server' : !has('Xvfb') ? 'no Xvfb' : !has('xdotool') && 'no xdotool';

export class Display {
  /** Starts an X server, which chooses its own number. */
  static async open() {
    const display = new Display();
    display.server = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x800x24'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const number = await new Promise((resolve, reject) =>
      display.server.once('error', reject).stdout.once('data', (data) => resolve(String(data).trim())),
    );
    display.name = `:${number}`;
    return display;
  }

  /** Runs xdotool to completion and returns its output. */
  async x(...args) {
    const { stdout } = await promisify(execFile)('xdotool', args, { env: { ...process.env, DISPLAY: this.name } });
    return stdout;
  }

  /** Gives the X focus to the window whose title contains this text. */
  async focus(title) {
    const found = () =>
      this.x('search', '--onlyvisible', '--name', title).then(
        (lines) => lines.trim().split('\n')[0],
        () => '',
      );
    const id = await until(found, `no window ${title}`);
    await this.x('windowfocus', '--sync', id);
  }

  /** Types like a fast typist. */
  type(text, delay = 12) {
    return this.x('type', '--delay', String(delay), text);
  }

  close() {
    this.server.kill('SIGKILL');
  }
}
