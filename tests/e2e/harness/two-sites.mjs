/*
 * A scene with a second site, for the tests of one `describe`: an agent reads on one site, and must not leak it to the
 * other.
 */
import { after, afterEach, before } from 'node:test';
import { Scene } from './scene.mjs';
import { Site } from './site.mjs';

/**
 * Opens both before the tests of the suite, waits after each test until no turn runs, and closes both at the end.
 *
 * @param {string} at the scene's first page
 * @param {(scene: Scene, other: Site) => void} opened
 */
export const besideAnotherSite = (at, opened) => {
  let scene;
  let other;
  before(async () => {
    scene = await Scene.open({ at });
    other = await Site.start();
    opened(scene, other);
  });
  afterEach(async () => {
    scene.agent.settle();
    await scene.panel.gone('stop');
  });
  after(async () => {
    await other?.stop();
    await scene?.close();
  });
};
