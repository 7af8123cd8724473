/* Stagehand without a model, at the DevTools address $ADDRESS: does the steps that it reads (program.mjs). */
import { createInterface } from 'node:readline';
import { Stagehand } from '@browserbasehq/stagehand';

const shop = process.env.SHOP;
const stagehand = new Stagehand({
  env: 'LOCAL',
  localBrowserLaunchOptions: { cdpUrl: process.env.ADDRESS },
  verbose: 0,
  disablePino: true,
});
const page = () => stagehand.context.pages()[0];

const STEPS = {
  start: () => stagehand.init(),
  tabs: () => stagehand.context.pages().map((one) => one.url()),
  async login() {
    await page().goto(`${shop}/`);
    await page().locator('#name').fill('Katherine');
    await page().locator('#password').fill('orbit');
    await page().locator('#enter').click();
    await page().waitForSelector('#said', { state: 'attached' });
    return page().title();
  },
  async order() {
    const address = page().frameLocator('#address');
    await address.locator('#street').fill('Moon 5');
    await address.locator('#save').click();
    for (;;) {
      const said = await page().evaluate(() => document.querySelector('#said').textContent);
      if (said) return said;
    }
  },
  picture: async () => (await page().screenshot()).toString('base64'),
  again: () => page().goto(`${shop}/?again`),
  end: () => stagehand.close(),
};

for await (const step of createInterface({ input: process.stdin })) {
  const answer = await (async () => STEPS[step]())().then(
    (value) => ({ value }),
    (error) => ({ error: `${error.name}: ${error.message}` }),
  );
  process.stdout.write(`answer ${JSON.stringify(answer)}\n`);
}
