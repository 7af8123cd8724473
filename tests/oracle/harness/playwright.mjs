/* The oracle's own browser: the same Chromium, driven by Playwright. */
import { chromium } from 'playwright-core';
import { BROWSER, QUIET, VIEWPORT } from './gstack.mjs';

export class Oracle {
  static async start() {
    const oracle = new Oracle();
    const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    oracle.browser = await chromium.launch({
      executablePath: BROWSER,
      headless: true,
      // Exposes Chromium's own role and name of an element to scripts.
      args: [...QUIET, ...root, '--enable-blink-features=ComputedAccessibilityInfo'],
    });
    oracle.page = await oracle.browser.newPage({ viewport: VIEWPORT });
    return oracle;
  }

  async stop() {
    await this.browser.close();
  }
}
