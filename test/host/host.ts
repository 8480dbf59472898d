/**
 * A strict simulated UXP host. It opens a built plugin folder the way a creative app does and lets a test be the user,
 * the operating system and the passage of events around it. What it refuses is as important as what it does: everything
 * not in `uxp-api/` is absent. It cannot show how a host draws; and what the documents leave open is simulated in the
 * way that is harder on the plugin.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import * as nodePath from 'node:path';
import { inspect } from 'node:util';
import * as vm from 'node:vm';
import type { Target } from '../../uxp-api/index.js';
import type { ClipboardControl } from './clipboard.js';
import { createClipboard } from './clipboard.js';
import { callEntryPoint } from './entry-point.js';
import type { Finding } from './findings.js';
import { Findings } from './findings.js';
import { createContext, defineGlobals } from './globals.js';
import type { HostManifest } from './manifest.js';
import { HostRefusal, hostApp, readManifest, storageOf } from './manifest.js';
import type { HostControl, HostModules } from './modules/index.js';
import { createHostModules } from './modules/index.js';
import type { SimulatedPlatform } from './modules/os-module.js';
import type { RequestRecord } from './network.js';
import { Network } from './network.js';
import type { Page } from './page.js';
import { openPage } from './page.js';
import { SimulatedUser } from './user.js';
import { requireIn } from './plugin-require.js';
import { Timers } from './timers.js';
import { watchUnhandledRejections } from './unhandled-rejections.js';

export { HostRefusal } from './manifest.js';

export interface OpenPluginOptions {
  /** The built plugin: manifest.json and its files. */
  readonly dist: string;
  /** Everything that outlives a run. The same folder and the same major version of the app again: the same installation. */
  readonly storageDir: string;
  /** Default '8.4.0'. */
  readonly uxpVersion?: string;
  /** The manifest's code of the creative app (default 'PS'), its version (default: the documented one for the UXP
   *  version) and its language (default 'en_US'). */
  readonly host?: { readonly app?: string; readonly version?: string; readonly uiLocale?: string };
  /** Default 'darwin', which is the stricter one. */
  readonly platform?: SimulatedPlatform;
  /** macOS refuses plain http. True makes an exception for loopback addresses, where tests have their servers. */
  readonly allowLoopbackHttp?: boolean;
  /** A certificate (PEM) the system trusts. */
  readonly trustedCertificate?: string;
  /** The panel to show: its id, or false for none. Default: the first panel of the manifest. */
  readonly panel?: string | false;
  /** Called after everything is set up and before the plugin's first line runs: the place to prepare faults. */
  readonly prepare?: (control: HostControl) => void;
}

/** One line the plugin wrote to the console. */
export interface ConsoleLine {
  readonly level: string;
  readonly text: string;
}

/** How often a click on a Spectrum widget comes again when a dialog opens straight from it: for ever, in the host. */
const clickRepeats = 5;

/** A plugin that is open in the host. */
export class Plugin {
  readonly manifest: HostManifest;
  readonly control: HostControl;
  readonly clipboard: ClipboardControl;
  /** Uncaught errors, which the host swallows. */
  readonly uncaught: unknown[] = [];
  readonly console: ConsoleLine[] = [];

  readonly #context: vm.Context;
  readonly #page: Page;
  readonly #user: SimulatedUser;
  readonly #network: Network;
  readonly #findings = new Findings();
  readonly #timers: Timers;
  readonly #stopWatching: () => void;
  #dialogs = 0;
  #panelId: string | undefined;

  private constructor(options: OpenPluginOptions) {
    const { uxpVersion = '8.4.0', platform = 'darwin' } = options;
    const dist = nodePath.resolve(options.dist);
    const app = hostApp(options.host?.app ?? 'PS', uxpVersion, options.host?.version);
    const storageDir = storageOf(options.storageDir, app);
    const uiLocale = options.host?.uiLocale ?? 'en_US';
    this.manifest = readManifest(dist, app);
    const target: Target = { uxpVersion, flags: this.manifest.featureFlags };
    mkdirSync(storageDir, { recursive: true });

    const { context, realm } = createContext(this.manifest);
    this.#context = context;
    const modules = createHostModules({
      storageDir,
      pluginDir: dist,
      uxpVersion,
      host: { name: app.hostName, version: app.version, uiLocale },
      pluginVersion: this.manifest.version,
      permissions: this.manifest,
      entrypoints: this.manifest.entrypoints,
      platform,
      realm,
      globalOf: (name) => Object.getOwnPropertyDescriptor(context, name)?.value as unknown,
      onDialog: () => {
        this.#dialogs += 1;
      },
    });
    const { lifetime } = modules;
    this.control = modules.control;
    const uncaught = (error: unknown): void => {
      this.uncaught.push(error);
    };
    const clipboard = createClipboard(
      uxpVersion,
      this.manifest.clipboard,
      lifetime,
      this.#findings,
    );
    this.clipboard = clipboard.control;
    this.#network = new Network(
      {
        uxpVersion,
        domains: this.manifest.domains,
        platform,
        allowLoopbackHttp: options.allowLoopbackHttp ?? false,
        trustedCertificate: options.trustedCertificate,
      },
      lifetime,
      this.#findings,
    );
    this.#timers = new Timers(lifetime, uncaught);
    this.#page = openPage({
      dist,
      main: this.manifest.main,
      target,
      findings: this.#findings,
      uncaught,
    });
    this.#user = new SimulatedUser(this.#page, () => this.root);
    this.#stopWatching = watchUnhandledRejections(realm.Promise, uncaught);

    const hostModules: Readonly<Record<string, unknown>> = {
      uxp: modules.uxp,
      fs: modules.fs,
      os: modules.os,
      ...ownModule(app.app, modules),
    };
    const requireFrom = requireIn({ context, dist, hostModules, error: realm.Error });
    defineGlobals({
      context,
      page: this.#page,
      target,
      lifetime,
      network: this.#network,
      timers: this.#timers,
      findings: this.#findings,
      clipboard: clipboard.clipboard,
      platform,
      uiLocale,
      storageDir,
      uncaught,
      log: (level, args) => {
        const text = args.map((arg) => (typeof arg === 'string' ? arg : inspect(arg))).join(' ');
        this.console.push({ level, text });
      },
      require: requireFrom(dist),
    });
    options.prepare?.(this.control);

    for (const script of this.#page.scripts) {
      const file = nodePath.join(dist, script);
      try {
        new vm.Script(readFileSync(file, 'utf8'), { filename: file }).runInContext(context);
      } catch (error) {
        uncaught(error);
      }
    }
    this.control.entrypoints.startupOver();
  }

  /**
   * Opens a plugin and shows its panel.
   * @throws HostRefusal when the host would not load it, or when an entry point fails or takes longer than 300 ms
   */
  static async open(options: OpenPluginOptions): Promise<Plugin> {
    const plugin = new Plugin(options);
    try {
      await plugin.#start(options.panel);
    } catch (error) {
      plugin.kill();
      throw error;
    }
    return plugin;
  }

  /** The root node of the shown panel, or the page's body. */
  get root(): Element {
    const { document } = this.#page;
    // Not by a selector: these are slow here, and this is asked for at each look.
    const own = Array.from(document.getElementsByTagName('uxp-panel') as ArrayLike<Element>).find(
      (panel) => panel.getAttribute('panelid') === this.#panelId,
    );
    return own ?? document.body;
  }

  /** The names and values that the host silently ignored, dropped or refused. */
  get findings(): readonly Finding[] {
    return this.#findings.all;
  }

  /** Every request of the plugin, redirects included. */
  get requests(): readonly RequestRecord[] {
    return this.#network.records;
  }

  /** How many timers of the plugin are waiting. */
  get waitingTimers(): number {
    return this.#timers.waiting;
  }

  /** The visible text of the panel, one line per block. */
  text(): string {
    return this.#user.text();
  }

  /** The labels of everything a user could press now. */
  labels(): string[] {
    return this.#user.labels();
  }

  /**
   * Presses a control of the panel: by its label, or an element itself. A click on a Spectrum widget from which a picker or
   * a consent dialog opens comes again and again, as the known issues say, until one opens nothing.
   * @throws Error when there is no such control, or it is disabled or hidden
   */
  click(control: string | RegExp | Element, nth = 0): void {
    const element =
      typeof control === 'string' || control instanceof RegExp
        ? this.#user.find(control, nth)
        : control;
    const before = this.#dialogs;
    this.#user.press(element);
    if (element.localName.startsWith('sp-')) void this.#repeat(element, before, clickRepeats);
  }

  /** Types into a field found by a selector. @throws Error when there is none */
  type(selector: string, text: string): void {
    this.#user.type(this.#field(selector), text);
  }

  /** Presses a key in a field found by a selector. @throws Error when there is none */
  key(selector: string, key: string): void {
    this.#user.key(this.#field(selector), key);
  }

  /**
   * Waits until the panel's text contains or matches something, or until a question answers other than false, null or
   * undefined, and gives that answer (or the text).
   * @throws Error after `timeoutMs` (far more than anything takes, unless told otherwise), with what the panel showed instead
   */
  async waitFor<T = string>(
    what: string | RegExp | (() => T | false | null | undefined),
    timeoutMs = 150_000,
  ): Promise<T | string> {
    const deadline = Date.now() + timeoutMs;
    let text = '';
    let seen = -1;
    for (let look = 0; ; look += 1) {
      if (typeof what === 'function') {
        const answer = what();
        if (answer !== false && answer !== null && answer !== undefined) return answer;
      } else {
        // To read a page costs far more than to wait for it to change. A field's value changes unnoticed.
        const changes = this.#page.changes();
        if (changes !== seen || look % 10 === 0) text = this.text();
        seen = changes;
        if (typeof what === 'string' ? text.includes(what) : what.test(text)) return text;
      }
      if (Date.now() > deadline) {
        const uncaught = this.uncaught.map((error) => inspect(error)).join('\n');
        throw new Error(
          `waited ${timeoutMs} ms for ${String(what)}; the panel shows:\n${this.text()}\nuncaught:\n${uncaught}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }

  /** Chooses an entry of the panel's menu (flyout). @throws HostRefusal when the plugin has none of that id */
  async invokeMenu(id: string): Promise<void> {
    const panel = this.#panel();
    const known = this.#panelId === undefined ? [] : this.control.entrypoints.menu(this.#panelId);
    if (!known.some((item) => item.id === id)) throw new HostRefusal(`no menu item "${id}"`);
    await this.#limited('invokeMenu', panel?.['invokeMenu'], [id]);
  }

  /** Chooses a command of the app's menu of plugins. Settles when the command is done. @throws HostRefusal for an unknown one */
  async invokeCommand(id: string): Promise<void> {
    const command = this.control.entrypoints.definition?.commands?.[id];
    const run =
      typeof command === 'object' && command !== null
        ? (command as Record<string, unknown>)['run']
        : command;
    if (typeof run !== 'function') throw new HostRefusal(`no command "${id}"`);
    // Nothing limits its time. The handler gets the event.
    const result: unknown = await (run as (event: object) => unknown)({ type: 'uxpcommand' });
    // As of UXP 9.3 the answer is made a text.
    JSON.stringify(result);
  }

  /** Shows the panel of a plugin that was loaded without it. */
  async showPanel(panel?: string): Promise<void> {
    await this.#showPanel(panel);
  }

  /** Makes the plugin's waiting shorter: its timers, from the next one on, run so many times faster; 1 ends that. */
  hurry(times: number): void {
    this.#timers.hurry(times);
  }

  /** Sends `sleep` or `awake` to the window, as hosts do from UXP 9.2 on. */
  system(event: 'sleep' | 'awake'): void {
    const { window } = this.#page;
    window.dispatchEvent(new window.Event(event));
  }

  /** Runs code inside the plugin's context: for tests about the context itself. */
  evaluate(code: string): unknown {
    return vm.runInContext(code, this.#context);
  }

  /** Closes the plugin as the host does on unloading: the destroy hooks get 300 ms, then it is gone. `hide` never comes. */
  async close(): Promise<void> {
    const plugin = this.control.entrypoints.definition?.plugin;
    try {
      await this.#limited('panel destroy', this.#panel()?.['destroy'], [this.root]);
      const hooks =
        typeof plugin === 'object' && plugin !== null ? (plugin as Record<string, unknown>) : {};
      await this.#limited('plugin destroy', hooks['destroy'], []);
    } finally {
      this.kill();
    }
  }

  /** Ends the plugin as a crash does: no hook, no timer, no callback runs afterwards, sockets are cut. */
  kill(): void {
    const { undisposedImages } = this.control.photoshop;
    if (undisposedImages > 0)
      this.#findings.add('imaging', `${undisposedImages} image data were not disposed of`);
    this.control.end();
    this.#page.close();
    this.#stopWatching();
  }

  async #start(panel: string | false | undefined): Promise<void> {
    const definition = this.control.entrypoints.definition;
    const hooks = definition?.plugin;
    if (typeof hooks === 'function') await this.#limited('plugin create', hooks, []);
    if (typeof hooks === 'object' && hooks !== null) {
      await this.#limited('plugin create', (hooks as Record<string, unknown>)['create'], []);
    }
    for (const { type, id } of this.manifest.entrypoints)
      if (type === 'command' && definition?.commands?.[id] === undefined)
        throw new HostRefusal(`the plugin did not set up its command "${id}" at start`);
    if (panel !== false) await this.#showPanel(panel);
  }

  async #showPanel(panel: string | undefined): Promise<void> {
    const definition = this.control.entrypoints.definition;
    const declared = this.manifest.entrypoints.filter((entry) => entry.type === 'panel');
    const id = panel ?? declared[0]?.id;
    if (id === undefined || !declared.some((entry) => entry.id === id)) {
      throw new HostRefusal(`the manifest has no panel "${id ?? ''}"`);
    }
    this.#panelId = id;
    const own = definition?.panels?.[id];
    if (own === undefined) {
      const reason = this.uncaught.map((error) => inspect(error)).join('\n');
      throw new HostRefusal(`the plugin did not set up its panel "${id}" at start. ${reason}`);
    }
    if (typeof own === 'function') {
      await this.#limited('show', own, [this.root, undefined]);
    } else {
      const shape = own as Record<string, unknown>;
      await this.#limited('create', shape['create'], [this.root]);
      // Comes once: the plugin gets no event when the panel is shown again.
      await this.#limited('show', shape['show'], [this.root, undefined]);
    }
    const { window, document } = this.#page;
    const event = new window.Event('uxpcommand');
    Object.defineProperty(event, 'commandId', { value: 'uxpshowpanel' });
    document.dispatchEvent(event);
  }

  #field(selector: string): Element {
    const field = this.root.querySelector(selector);
    if (field === null) throw new Error(`no field ${selector}`);
    return field;
  }

  #panel(): Record<string, unknown> | undefined {
    const panels = this.control.entrypoints.definition?.panels;
    const own = this.#panelId === undefined ? undefined : panels?.[this.#panelId];
    return typeof own === 'object' && own !== null ? (own as Record<string, unknown>) : undefined;
  }

  #limited(name: string, method: unknown, args: readonly unknown[]): Promise<void> {
    return callEntryPoint(this.#findings, name, method, args);
  }

  async #repeat(element: Element, before: number, left: number): Promise<void> {
    // What the handler opens at once, or after promises that are already settled, counts as opened straight from it.
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
    if (this.#dialogs === before || left === 0) return;
    const opened = this.#dialogs;
    this.#user.click(element);
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
    if (this.#dialogs === opened) return;
    this.#findings.add(
      'repeated click',
      `a dialog opened from <${element.localName}>, its click came again and opened another`,
    );
    await this.#repeat(element, opened, left - 1);
  }
}

/** The module of this app: no app has another's. */
function ownModule(app: string, modules: HostModules): Readonly<Record<string, unknown>> {
  const { indesign, premierepro } = modules.otherApps;
  if (app === 'PS') return { photoshop: modules.photoshop };
  if (app === 'ID') return { indesign };
  return app === 'premierepro' ? { premierepro } : {};
}

/** Opens a plugin in the simulated host; see `Plugin.open`. */
export function openPlugin(options: OpenPluginOptions): Promise<Plugin> {
  return Plugin.open(options);
}
