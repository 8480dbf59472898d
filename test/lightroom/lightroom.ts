import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Lua } from 'wasmoon-lua5.1';

const PLUGIN = path.join(import.meta.dirname, '../../lightroom/creative-workspace.lrplugin');
const SDK = path.join(import.meta.dirname, 'sdk');

/** A request of the plug-in, as it reaches the network. */
export interface PluginRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * What happens to a request. `lose-request`: it does not arrive. `lose-answer`: it arrives, and its answer is lost. A
 * response is returned in the place of the service's.
 */
export type Fate = 'send' | 'lose-request' | 'lose-answer' | Response;

export interface LightroomOptions {
  /** Replaces values of Config.lua. */
  readonly config: Readonly<Record<string, string>>;
  /** A language of Lightroom with a file of translations. */
  readonly language?: string;
  /** What was in the secure storage and the catalog before: the state that another Lightroom has exported. */
  readonly passwords?: Readonly<Record<string, string>>;
}

/** Lightroom Classic with the plug-in in it: Lua 5.1, the simulated SDK in `sdk/`, and a real network. */
export class Lightroom {
  /** Decides what happens to requests; all are sent at first. */
  fate: (request: PluginRequest) => Fate = () => 'send';
  /** All requests so far. */
  readonly requests: PluginRequest[] = [];

  private constructor(private readonly lua: Lua) {}

  static async start({ config, language, passwords = {} }: LightroomOptions): Promise<Lightroom> {
    const lua = await Lua.create();
    lua.global.set('host', {
      md5: (hex: string) => createHash('md5').update(Buffer.from(hex, 'hex')).digest('hex'),
      lower: (hex: string) =>
        Buffer.from(Buffer.from(hex, 'hex').toString().toLowerCase()).toString('hex'),
    });
    for (const name of ['sdk', 'catalog']) {
      lua.doStringSync(readFileSync(path.join(SDK, `${name}.lua`), 'utf8'));
    }
    const lightroom = new Lightroom(lua);
    for (const file of readdirSync(PLUGIN).filter((name) => name.endsWith('.lua'))) {
      lightroom.set('sources', file.slice(0, -4), readFileSync(path.join(PLUGIN, file), 'utf8'));
    }
    lightroom.set('sources', 'Config', configSource(config));
    if (language !== undefined) {
      for (const [key, text] of translations(language)) {
        lightroom.set('translations', key, text);
      }
    }
    for (const [key, text] of Object.entries(passwords)) {
      lightroom.set('passwords', key, text);
    }
    return lightroom;
  }

  close(): void {
    this.lua.global.close();
  }

  /** Sets `sdk.state[table][key]`. */
  set(table: string, key: string, text: string): void {
    this.call(
      `sdk.state[${quote(table)}][sdk.fromHex('${hexOf(key)}')] = sdk.fromHex('${hexOf(text)}')`,
    );
  }

  /** Starts Lua in a task of Lightroom. Names of modules of the plug-in are read with `require`. */
  begin(source: string): void {
    this.call(`sdk.start(sdk.fromHex('${hexOf(source)}'))`);
  }

  /** Starts a script of the plug-in, as a menu item does. */
  openMenu(script: string): void {
    this.call(`sdk.runScript(${quote(script)})`);
  }

  /** The value of a Lua expression, as text. */
  read(expression: string): string {
    const source = `return sdk.toHex(sdk.evaluate(sdk.fromHex('${hexOf(`return ${expression}`)}')))`;
    return Buffer.from(String(this.lua.doStringSync(source)), 'hex').toString();
  }

  /** The texts of the dialog in front; empty without one. */
  get dialog(): string {
    return this.read('sdk.dialogText()');
  }

  /** The messages that were shown, newest last. */
  get messages(): string[] {
    return this.read("table.concat(sdk.state.messages, '\\0')")
      .split('\0')
      .filter((message) => message !== '');
  }

  press(label: string): void {
    this.call(`sdk.press(sdk.fromHex('${hexOf(label)}'))`);
  }

  choose(kind: string, title: string, value: string): void {
    const choice = value === 'true' ? 'true' : `sdk.fromHex('${hexOf(value)}')`;
    this.call(`sdk.choose(${quote(kind)}, sdk.fromHex('${hexOf(title)}'), ${choice})`);
  }

  /** Where a token is outside of the secure storage: in preferences, messages, logs, fields of photos or addresses. */
  leaks(): string[] {
    const places = {
      prefs: 'sdk.dump(sdk.state.prefs)',
      messages: 'sdk.dump(sdk.state.messages)',
      logs: 'sdk.dump(sdk.state.logs)',
      addresses: 'sdk.dump(sdk.state.openedUrls)',
      photos: 'sdk.dumpFields()',
    };
    const secrets = [
      ...this.read('sdk.state.passwords.session').matchAll(
        /"(?:access|refresh|attempt)":"([^"]+)"/g,
      ),
    ];
    return Object.entries(places).flatMap(([place, expression]) => {
      const text = this.read(expression) + this.requests.map(({ url }) => url).join('\n');
      return /svc_/.test(text) || secrets.some(([, secret = '']) => text.includes(secret))
        ? [place]
        : [];
    });
  }

  /** Puts a file where the plug-in reads it. */
  writeFile(name: string, content: Uint8Array): void {
    this.lua.mountFile(name, Buffer.from(content));
  }

  /** Runs all tasks until they are over, or `isReached`. Sleeping tasks wake when nothing else is left to do. */
  async run(isReached: () => boolean = () => false): Promise<void> {
    const open = new Set<Promise<void>>();
    while (!isReached()) {
      const requests = String(this.lua.doStringSync('return sdk.run()')).split('\n');
      for (const line of requests.filter((text) => text !== '')) {
        const answering = this.exchange(line).finally(() => open.delete(answering));
        open.add(answering);
      }
      if (isReached()) {
        break;
      } else if (open.size > 0) {
        await Promise.race(open);
      } else if (this.lua.doStringSync('return sdk.passTime()') !== true) {
        if (requests.join('') === '') {
          break;
        }
      }
    }
    await Promise.all(open);
  }

  /** Runs Lua in a task to its end, and returns what it returns, as text. */
  async evaluate(source: string): Promise<string> {
    this.begin(`sdk.state.result = nil sdk.state.result = (function() ${source} end)()`);
    await this.run();
    return this.read('tostring(sdk.state.result)');
  }

  private async exchange(line: string): Promise<void> {
    const [id = '', method = '', ...hex] = line.split(' ');
    const [url = '', headers = '', body = Buffer.alloc(0)] = hex.map((text, index) =>
      index < 2 ? Buffer.from(text, 'hex').toString() : Buffer.from(text, 'hex'),
    ) as [string?, string?, Buffer?];
    const request = { method, url, headers: headersOf(headers), body };
    this.requests.push(request);
    const fate = this.fate(request);
    if (fate === 'lose-request') {
      this.answer(id, 'cannotConnectToHost');
      return;
    }
    let response: Response;
    try {
      response = fate instanceof Response ? fate : await send(request);
    } catch {
      this.answer(id, 'cannotConnectToHost');
      return;
    }
    const content = Buffer.from(await response.arrayBuffer());
    if (fate === 'lose-answer') {
      this.answer(id, 'networkConnectionLost');
      return;
    }
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    this.call(
      `sdk.answer(${id}, ${response.status}, '${hexOf(lines)}', '${content.toString('hex')}', '')`,
    );
  }

  private answer(id: string, failure: string): void {
    this.call(`sdk.answer(${id}, 0, '', '', '${failure}')`);
  }

  private call(source: string): void {
    this.lua.doStringSync(source);
  }
}

async function send({ method, url, headers, body }: PluginRequest): Promise<Response> {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return fetch(url, { method, headers, ...(hasBody && { body: new Uint8Array(body) }) });
}

function configSource(config: Readonly<Record<string, string>>): string {
  const source = readFileSync(path.join(PLUGIN, 'Config.lua'), 'utf8');
  return Object.entries(config).reduce(
    (text, [key, value]) => text.replace(new RegExp(`${key} = '[^']*'`), `${key} = '${value}'`),
    source,
  );
}

/** The texts of a `TranslatedStrings_*.txt`, by their keys. */
export function translations(language: string): Map<string, string> {
  const file = path.join(PLUGIN, `TranslatedStrings_${language}.txt`);
  const lines = readFileSync(file, 'utf8').split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, key, text] = /^"\$\$\$\/([\w/]+)=(.*)"$/.exec(line) ?? [];
      return key === undefined || text === undefined ? [] : [[key, text]];
    }),
  );
}

function headersOf(lines: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines.split('\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/s);
    if (name !== '' && !(name === 'Content-Type' && value === 'skip')) {
      headers[name] = value;
    }
  }
  return headers;
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}

function quote(text: string): string {
  return `'${text}'`;
}
