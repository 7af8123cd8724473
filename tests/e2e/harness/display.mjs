/*
 * A display of a test's own with a real keyboard: keys go by the X server to what has the focus there, as a person's do.
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

/** Why no such test can run here, or false. */
export const noDisplay = process.platform !== 'linux' ? 'no X server' : !has('Xvfb') ? 'no Xvfb' : !has('xdotool') && 'no xdotool';

export class Display {
  /** Starts an X server on a number that it chooses. */
  static async open() {
    const display = new Display();
    display.server = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x800x24'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const number = await new Promise((resolve, reject) =>
      display.server.once('error', reject).stdout.once('data', (data) => resolve(String(data).trim())),
    );
    display.name = `:${number}`;
    return display;
  }

  /** Runs xdotool to its end; gives its output. */
  async x(...args) {
    const { stdout } = await promisify(execFile)('xdotool', args, { env: { ...process.env, DISPLAY: this.name } });
    return stdout;
  }

  /** Gives the X focus to the window whose title holds this. */
  async focus(title) {
    const found = () =>
      this.x('search', '--onlyvisible', '--name', title).then(
        (lines) => lines.trim().split('\n')[0],
        () => '',
      );
    const id = await until(found, `no window ${title}`);
    await this.x('windowfocus', '--sync', id);
  }

  /** Types as a fast person does. */
  type(text, delay = 12) {
    return this.x('type', '--delay', String(delay), text);
  }

  close() {
    this.server.kill('SIGKILL');
  }
}
