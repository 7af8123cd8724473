/**
 * CDP over a pipe, and a Chromium with this extension. No npm package.
 *
 * Owns the browser that it starts and the temporary profile; `close` removes both.
 */
import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const EXTENSION = join(here, "..", "..", "extension");
export const EXTENSION_ID = "hmjooioflnjmgaipmokechimoabfkeji";

// A signal ends this process by `exit`, so that the browsers that it started end with it.
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(1));

/** NUL-terminated JSON on fds 3 and 4. */
class Pipe {
  #nextId = 1;
  #pending = new Map();
  #listeners = new Set();
  #rest = "";

  constructor(write, read) {
    this.write = write;
    read.setEncoding("utf8");
    read.on("data", (chunk) => {
      const messages = (this.#rest + chunk).split("\0");
      this.#rest = messages.pop();
      for (const text of messages) this.#receive(JSON.parse(text));
    });
    read.on("close", () => {
      for (const { reject } of this.#pending.values()) reject(new Error("the browser is gone"));
      this.#pending.clear();
    });
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#nextId++;
    return within(
      new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject, method });
        this.write.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      }),
      `answer to ${method} ${JSON.stringify(params).slice(0, 200)}`,
    );
  }

  on(listener) {
    this.#listeners.add(listener);
  }

  /** Removes all listeners. */
  forget() {
    this.#listeners.clear();
  }

  #receive(message) {
    if (message.id === undefined) return this.#listeners.forEach((listener) => listener(message));
    const waiting = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error) waiting?.reject(new Error(`${waiting.method}: ${message.error.message}`));
    else waiting?.resolve(message.result);
  }
}

/** Rejects with the name of what it waits for instead of hanging. @param {Promise<any>} work @param {string} what */
function within(work, what, limitMs = 60_000) {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error(`no ${what} within ${limitMs} ms`)), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(limit));
  });
}

/** One attached target. */
export class Target {
  constructor(pipe, sessionId, targetId) {
    Object.assign(this, { pipe, sessionId, targetId });
  }
  send(method, params) {
    return this.pipe.send(method, params, this.sessionId);
  }
  /** Evaluates an expression or a function's text and returns its value; throws what the page threw. */
  async evaluate(expression, ...args) {
    const text = typeof expression === "function" ? `(${expression})(${args.map((arg) => JSON.stringify(arg)).join(",")})` : expression;
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression: text,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  /** Settles when the expression is truthy; checks again on each mutation or frame. */
  async until(expression, ...args) {
    const text = typeof expression === "function" ? `(${expression})(${args.map((arg) => JSON.stringify(arg)).join(",")})` : expression;
    await this.evaluate(`new Promise((resolve, reject) => {
      const limit = setTimeout(() => {
        watch.disconnect();
        reject(new Error("never true: " + ${JSON.stringify(text)} + "\\n" + document.body.innerText.slice(0, 1500)));
      }, 60000);
      const look = () => {
        let ok = false;
        try { ok = ${text}; } catch {}
        if (ok) { clearTimeout(limit); watch.disconnect(); resolve(true); }
        return ok;
      };
      const watch = new MutationObserver(look);
      watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      look();
    })`);
  }
  async type(text) {
    await this.send("Input.insertText", { text });
  }
  async key(key, code = key, extra = {}) {
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    const keyCode = { Enter: 13, Escape: 27, ArrowUp: 38, ArrowDown: 40, Tab: 9 }[key] ?? key.toUpperCase().charCodeAt(0);
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, code, text, windowsVirtualKeyCode: keyCode, ...extra });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code, windowsVirtualKeyCode: keyCode, ...extra });
  }
  /** Sends real mouse events; `clickCount` 2 is the second click of a double-click. */
  async click(selector, clickCount = 1) {
    const at = await this.evaluate((css) => {
      const { x, y, width, height } = document.querySelector(css).getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }, selector);
    for (const type of ["mousePressed", "mouseReleased"])
      await this.send("Input.dispatchMouseEvent", { type, ...at, button: "left", clickCount });
  }
  async size(width, height) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }
  async theme(theme) {
    await this.send("Emulation.setEmulatedMedia", {
      features: [
        { name: "prefers-color-scheme", value: theme },
        { name: "prefers-reduced-motion", value: "reduce" },
      ],
    });
  }
  async screenshot() {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }
}

export class Browser {
  /**
   * @param {object} options
   * @param {string} [options.scenario]  for the fake host; without it no host is installed
   * @param {object} [options.preferences]  of the profile
   * @param {string} [options.language]  of the browser
   * @param {string} [options.origin]  on loopback; serves the hosts that scenarios name
   * @param {string} [options.program]
   */
  static async start({
    scenario,
    preferences = {},
    language = "en",
    origin,
    program = process.env.GSTACK_TEST_CHROMIUM ?? "/usr/bin/chromium",
  } = {}) {
    const profile = await mkdtemp(join(tmpdir(), "gstack-extension-"));
    await mkdir(join(profile, "Default"), { recursive: true });
    await writeFile(
      join(profile, "Default", "Preferences"),
      JSON.stringify({ extensions: { ui: { developer_mode: true } }, ...preferences }),
    );
    const browser = new Browser();
    browser.profile = profile;
    await browser.installScenario(scenario);
    const { host } = origin ? new URL(origin) : {};
    // Pretends to have a mouse: a headless browser has none, and would show touch layouts.
    const mouse = "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4";
    const hosts = host ? [`--host-resolver-rules=MAP localhost:5173 ${host}, MAP *.halden.example ${host}`, mouse] : [];
    const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    browser.process = spawn(
      program,
      [
        "--headless=new",
        "--remote-debugging-pipe",
        "--enable-unsafe-extension-debugging",
        `--user-data-dir=${profile}`,
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--disable-quic",
        "--force-prefers-reduced-motion",
        "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,PreloadTopChromeWebUI",
        "--window-size=1280,900",
        `--lang=${language}`,
        ...hosts,
        ...sandbox,
        "about:blank",
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: { ...process.env, HOME: profile, LANGUAGE: language } },
    );
    // The browser does not outlive this process, however it ends.
    const kill = () => browser.process.kill("SIGKILL");
    process.once("exit", kill);
    browser.process.once("exit", () => process.off("exit", kill));
    browser.pipe = new Pipe(browser.process.stdio[3], browser.process.stdio[4]);
    await browser.pipe.send("Target.setDiscoverTargets", { discover: true, filter: [{}] });
    await browser.pipe.send("Extensions.loadUnpacked", { path: EXTENSION });
    return browser;
  }

  /**
   * Makes this browser as good as a new one for the next test: with an extension that was just installed, another
   * folder of the fake host, and one empty tab.
   * @param {string} [scenario]  for the fake host; without it no host is installed
   */
  async renew(scenario) {
    this.pipe.forget();
    await this.pipe.send("Extensions.uninstall", { id: EXTENSION_ID });
    await this.killHosts();
    await this.pipe.send("Browser.setDownloadBehavior", { behavior: "default" });
    const { targetId } = await this.pipe.send("Target.createTarget", { url: "about:blank" });
    const others = (await this.targets()).filter((one) => one.type === "page" && one.targetId !== targetId);
    for (const other of others) await this.pipe.send("Target.closeTarget", { targetId: other.targetId });
    await this.#onlyOne();
    await this.installScenario(scenario);
    await this.pipe.send("Extensions.loadUnpacked", { path: EXTENSION });
  }

  /** Waits until one tab is left, and nothing of the extension. */
  async #onlyOne() {
    const isLeft = async () => {
      const targets = await this.targets();
      const ours = targets.some(({ url }) => url.startsWith(`chrome-extension://${EXTENSION_ID}/`));
      return ours || targets.filter(({ type }) => type === "tab").length !== 1;
    };
    const left = (async () => {
      while (await isLeft()) await new Promise((next) => setTimeout(next, 20));
    })();
    await within(left, "end of the previous test's tabs");
  }

  /** Gives the fake host a folder, and registers it if there is a scenario. @param {string} [scenario] */
  async installScenario(scenario) {
    this.state = await mkdtemp(join(this.profile, "state-"));
    if (scenario) await this.installHost(scenario);
    else await this.uninstallHost();
  }

  /** Registers the fake host for this profile. @param {string} scenario */
  async installHost(scenario) {
    const runner = join(this.profile, "host.sh");
    const log = join(this.state, "host.log");
    const command = [process.execPath, join(here, "fake-host.mjs"), this.state].map((part) => JSON.stringify(part)).join(" ");
    await writeFile(runner, `#!/bin/sh\nexec ${command} ${scenario} 2>>${JSON.stringify(log)}\n`);
    await chmod(runner, 0o755);
    const folder = join(this.profile, "NativeMessagingHosts");
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, "io.gstack.host.json"),
      JSON.stringify({
        name: "io.gstack.host",
        description: "fake host of the tests",
        path: runner,
        type: "stdio",
        allowed_origins: [`chrome-extension://${EXTENSION_ID}/`],
      }),
    );
  }

  /** Hides the host from Chrome; a running host stays. */
  async uninstallHost() {
    await rm(join(this.profile, "NativeMessagingHosts"), { recursive: true, force: true });
  }

  /** Kills the fake hosts of this browser, by the process ids that they recorded. */
  async killHosts() {
    for (const pid of await this.hosts()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended before.
      }
    }
  }

  /** Returns the process ids of all fake hosts so far. @returns {Promise<number[]>} */
  async hosts() {
    return [...(await this.wire()).matchAll(/^start (\d+)$/gm)].map(([, pid]) => Number(pid));
  }

  /** Settles when that many hosts were started. @param {number} count */
  async untilHosts(count) {
    while ((await this.hosts()).length < count) await new Promise((next) => setTimeout(next, 20));
  }

  /** Returns the messages that the fake hosts received, one per line. */
  async wire() {
    return readFile(join(this.state, "wire.log"), "utf8").catch(() => "");
  }

  async targets() {
    return (await this.pipe.send("Target.getTargets", { filter: [{}] })).targetInfos;
  }

  /** Waits for a target by an event of the browser. */
  async target(matches) {
    // Listens first, because an event may directly follow the answer.
    const coming = new Promise((resolve) => {
      this.pipe.on(({ method, params }) => {
        if ((method === "Target.targetCreated" || method === "Target.targetInfoChanged") && matches(params.targetInfo))
          resolve(params.targetInfo);
      });
    });
    const found = (await this.targets()).find(matches);
    return found ?? within(coming, `target for ${matches}`);
  }

  async attach(targetId) {
    const { sessionId } = await this.pipe.send("Target.attachToTarget", { targetId, flatten: true });
    return new Target(this.pipe, sessionId, targetId);
  }

  /** Opens the real side panel beside the active tab. */
  async openPanel() {
    const worker = await this.worker();
    // The action opens nothing until the worker has configured Chrome. A newly created worker has no `chrome` yet, so
    // this asks until it gets an answer.
    while (!(await worker.evaluate("globalThis.chrome?.sidePanel?.getPanelBehavior().then((is) => is.openPanelOnActionClick)"))) {
      await new Promise((next) => setTimeout(next, 20));
    }
    const tab = (await this.targets()).find(({ type }) => type === "tab");
    await this.pipe.send("Extensions.triggerAction", { id: EXTENSION_ID, targetId: tab.targetId });
    const panel = await this.target(
      ({ type, url }) => type !== "tab" && url.startsWith(`chrome-extension://${EXTENSION_ID}/sidepanel.html`),
    );
    const target = await this.attach(panel.targetId);
    await target.send("Runtime.enable");
    await target.until("document.querySelector('.composer__text')");
    return target;
  }

  async worker() {
    return this.attach(
      (await this.target(({ type, url }) => type === "service_worker" && url.startsWith(`chrome-extension://${EXTENSION_ID}/`))).targetId,
    );
  }

  async page() {
    const { targetId } = (await this.targets()).find(({ type, url }) => type === "page" && !url.startsWith("chrome"));
    return this.attach(targetId);
  }

  async close() {
    const ended = this.process.exitCode !== null || this.process.signalCode !== null;
    const gone = ended ? null : new Promise((resolve) => this.process.once("exit", resolve));
    await this.pipe.send("Browser.close").catch(() => this.process.kill("SIGKILL"));
    await within(gone ?? Promise.resolve(), "end of the browser").catch(() => this.process.kill("SIGKILL"));
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
