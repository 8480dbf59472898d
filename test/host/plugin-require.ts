import { existsSync, readFileSync, statSync } from 'node:fs';
import * as nodePath from 'node:path';
import * as vm from 'node:vm';

interface RequireOptions {
  readonly context: vm.Context;
  /** The plugin's folder, out of which no file is read. */
  readonly dist: string;
  readonly hostModules: Readonly<Record<string, unknown>>;
  /** The plugin's own, which it can catch by its class. */
  readonly error: ErrorConstructor;
}

/** The plugin's `require` for files of a folder: a module of the host, or one of its files by a path. */
export function requireIn(options: RequireOptions): (folder: string) => (id: string) => unknown {
  const { context, dist, hostModules, error } = options;
  const requireFrom = (folder: string): ((id: string) => unknown) => {
    return (id) => {
      if (Object.hasOwn(hostModules, id)) return hostModules[id];
      if (/^\.\.?\//.test(id)) return requireFile(nodePath.resolve(folder, id));
      throw new error(`Cannot find module "${id}": a host has uxp, fs, os and its own module`);
    };
  };
  const requireFile = (file: string): unknown => {
    const inside = file.startsWith(dist + nodePath.sep);
    if (!inside || !existsSync(file) || !statSync(file).isFile()) {
      throw new Error(
        `Cannot find module "${nodePath.relative(dist, file)}"; the ending must be written out`,
      );
    }
    const source = readFileSync(file, 'utf8');
    if (file.endsWith('.json')) return JSON.parse(source) as unknown;
    const module = { exports: {} as unknown };
    const wrapped = new vm.Script(`(function (exports, require, module) {${source}\n})`, {
      filename: file,
    });
    const run = wrapped.runInContext(context) as (...args: unknown[]) => void;
    run(module.exports, requireFrom(nodePath.dirname(file)), module);
    return module.exports;
  };
  return requireFrom;
}
