import { Buffer } from 'node:buffer';
import { EOL } from 'node:os';
import { gzipSync } from 'node:zlib';
import { TraceMap, decodedMappings } from '@jridgewell/trace-mapping';

/**
 * Attributes the bytes of a minified script to where they come from, by its source map.
 *
 * @param {string} script
 * @param {import('@jridgewell/trace-mapping').SourceMapInput} sourceMap
 * @returns {Map<string, number>} bytes by package name, by folder for our own code (`src/oauth`), and under
 *   `webpack` for what no source is named for; together they are the whole script
 */
export function bytesByOrigin(script, sourceMap) {
  const map = new TraceMap(sourceMap);
  const lines = script.split('\n');
  /** @type {Map<string, number>} */
  const bytes = new Map();
  /** @type {(origin: string, text: string) => void} */
  const add = (origin, text) => {
    bytes.set(origin, (bytes.get(origin) ?? 0) + Buffer.byteLength(text));
  };
  const mappings = decodedMappings(map);
  lines.forEach((line, row) => {
    let column = 0;
    let origin = 'webpack';
    for (const [start, source] of mappings[row] ?? []) {
      add(origin, line.slice(column, start));
      column = start;
      origin = source === undefined ? 'webpack' : originOf(map.sources[source] ?? '');
    }
    add(origin, line.slice(column));
    if (row < lines.length - 1) add('webpack', '\n');
  });
  return new Map([...bytes].filter(([, size]) => size > 0).sort(([, a], [, b]) => b - a));
}

/** @param {string} source  a source as webpack names it @returns {string} */
function originOf(source) {
  const [, library] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
  if (library !== undefined) return library;
  const [, own] = /\/(src(?:\/[^/]+(?=\/))?)/.exec(source) ?? [];
  return own ?? 'webpack';
}

/**
 * The table for the build's output.
 *
 * @param {string} script
 * @param {Map<string, number>} bytes  from {@link bytesByOrigin}
 * @returns {string}
 */
export function sizeTable(script, bytes) {
  const rows = [
    ...bytes,
    /** @type {const} */ (['all script, minified', Buffer.byteLength(script)]),
  ];
  const gzipped = gzippedSize(script);
  return [...rows, /** @type {const} */ (['all script, gzipped', gzipped])]
    .map(([name, size]) => `  ${name.padEnd(24)}${(size / 1000).toFixed(1).padStart(8)} KB`)
    .join(EOL);
}

/** @param {string} script @returns {number} bytes after gzip at its best */
export function gzippedSize(script) {
  return gzipSync(script, { level: 9 }).length;
}
