import { gzipSync } from 'node:zlib';
import { TraceMap, decodedMappings } from '@jridgewell/trace-mapping';
import type { SourceMapInput } from '@jridgewell/trace-mapping';

/**
 * Reports where the bytes of a minified script come from, by its source map.
 *
 * @returns the bytes by origin, largest first: the package name, the folder of our own code (`src/oauth`), or `webpack`
 *   for what has no source. Together they are the whole script.
 */
export function bytesByOrigin(script: string, sourceMap: SourceMapInput): Map<string, number> {
  const map = new TraceMap(sourceMap);
  const mappings = decodedMappings(map);
  const bytes = new Map<string, number>();
  const add = (origin: string, text: string): void => {
    bytes.set(origin, (bytes.get(origin) ?? 0) + Buffer.byteLength(text));
  };
  const lines = script.split('\n');
  lines.forEach((line, row) => {
    let column = 0;
    let origin = 'webpack';
    for (const [start, source] of mappings[row] ?? []) {
      add(origin, line.slice(column, start));
      column = start;
      origin = source === undefined ? 'webpack' : originOf(map.sources[source] ?? '');
    }
    add(origin, line.slice(column));
    if (row < lines.length - 1) {
      add('webpack', '\n');
    }
  });
  return new Map([...bytes].filter(([, size]) => size > 0).sort(([, a], [, b]) => b - a));
}

/** @param source a source file as webpack names it */
function originOf(source: string): string {
  const [, library] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
  if (library !== undefined) {
    return library;
  }
  const [, own] = /\/(src(?:\/[^/]+(?=\/))?)/.exec(source) ?? [];
  return own ?? 'webpack';
}

/** The table for the build's output, in KB of 1000 bytes. */
export function sizeTable(script: string, bytes: ReadonlyMap<string, number>): string {
  const rows: [string, number][] = [
    ...bytes,
    ['all script, minified', Buffer.byteLength(script)],
    ['all script, gzipped', gzippedSize(script)],
  ];
  return rows
    .map(([name, size]) => `  ${name.padEnd(24)}${kilobytes(size).padStart(8)} KB`)
    .join('\n');
}

/**
 * The warning for a script that has grown far beyond what the plugin needs: most often a library came in by accident.
 *
 * @param gzipped the size after gzip, in bytes
 * @param alarm the size that gives the warning, in bytes
 * @param bytes by origin, largest first; see {@link bytesByOrigin}
 */
export function sizeAlarm(
  gzipped: number,
  alarm: number,
  bytes: ReadonlyMap<string, number>,
): string {
  const biggest = [...bytes].slice(0, 3).map(([name, size]) => `${name} (${kilobytes(size)} KB)`);
  return [
    `All script is ${gzipped} bytes gzipped, more than ${alarm}. The build is complete.`,
    `The biggest parts are ${biggest.join(', ')}. See docs/uxp-development.md, "Package it".`,
  ].join('\n');
}

function kilobytes(size: number): string {
  return (size / 1000).toFixed(1);
}

/** The size of a script in bytes after gzip at its best level (9). */
export function gzippedSize(script: string): number {
  return gzipSync(script, { level: 9 }).length;
}
