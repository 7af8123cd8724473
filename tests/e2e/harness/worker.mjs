/* The extension's worker, from outside. Detaches after each look, because an attached client would keep it alive. */
import { EXTENSION_ID } from './home.mjs';
import { until } from './wait.mjs';

const isWorker = (one) => one.type === 'service_worker' && one.url.includes(EXTENSION_ID);

/** Returns the value of an expression in the worker. */
export async function inWorker(client, expression) {
  const target = await client.target(isWorker, 'the worker');
  const worker = await client.attach(target.targetId);
  await until(() => worker.evaluate('typeof chrome === "object" && Boolean(chrome.tabs)'), 'the worker has no script');
  const value = await worker.evaluate(expression);
  await client.send('Target.detachFromTarget', { sessionId: worker.sessionId });
  return value;
}

/** Stops the worker as Chrome may at any time; resolves when it is gone. `page` is a page of the extension. */
export async function stopWorker(client, page) {
  const worker = await client.target(isWorker, 'the worker');
  await page.send('ServiceWorker.enable');
  await page.send('ServiceWorker.stopAllWorkers');
  await client.gone(worker.targetId, 'the worker');
}
