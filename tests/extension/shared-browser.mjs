/**
 * One browser for the tests of a file, because starting one takes longer than most tests. Each test gets it as new: with
 * an extension that was just installed. A test that needs other options gets another browser.
 */
import { Browser } from "./pipe.mjs";

/** The browser of the last test, and the options that it was started with. */
let kept;

/** Returns a browser as new. @param {Parameters<typeof Browser.start>[0]} options */
export async function freshBrowser({ scenario, ...options }) {
  const wanted = JSON.stringify(options);
  if (kept?.wanted !== wanted) await endSharedBrowser();
  if (kept) await kept.browser.renew(scenario);
  else kept = { wanted, browser: await Browser.start({ scenario, ...options }) };
  return kept.browser;
}

/** Ends it: after the last test, and after one that failed and may have left it in a state in which the next one fails too. */
export async function endSharedBrowser() {
  const { browser } = kept ?? {};
  kept = undefined;
  await browser?.close();
}
