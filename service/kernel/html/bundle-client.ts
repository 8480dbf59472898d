import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

/** The scripts and style sheets that pages load, without the extension: files of `service/client/`. */
export const CLIENT_ENTRIES = ['gallery', 'page', 'receipt', 'share'] as const;

/** One of {@link CLIENT_ENTRIES}. */
export type ClientEntry = (typeof CLIENT_ENTRIES)[number];

/**
 * The options with which esbuild bundles `service/client/`. The names of all files but the entries contain a hash.
 * @param sources the folder `service/client/`
 */
export function clientBuildOptions(sources: URL): BuildOptions {
  const folder = fileURLToPath(sources);
  return {
    absWorkingDir: folder,
    entryPoints: CLIENT_ENTRIES.flatMap((entry) => [`./${entry}.ts`, `./${entry}.css`]),
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'safari16.4'],
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    tsconfigRaw: {},
    logLevel: 'silent',
  };
}
