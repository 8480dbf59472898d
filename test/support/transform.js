import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { transformSync, version } from 'esbuild';

const OWN_SOURCE = readFileSync(import.meta.filename);

/**
 * TypeScript to JavaScript for Jest, one file at a time: types are checked by `npm run check`. A clean checkout has
 * nothing transformed yet, and TypeScript's own compiler would take half a minute of the processor for all files.
 *
 * @type {import('@jest/transform').SyncTransformer}
 */
export default {
  canInstrument: false,
  getCacheKey: (source, path, { supportsStaticESM, configString }) =>
    createHash('sha256')
      .update([OWN_SOURCE, version, configString, supportsStaticESM, path, source].join('\0'))
      .digest('hex')
      .slice(0, 32),
  process(source, path, { supportsStaticESM }) {
    const { code, map } = transformSync(source, {
      loader: path.endsWith('.tsx') ? 'tsx' : 'ts',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      // Modules that Jest loads before a test, such as the environment, use `require`.
      format: supportsStaticESM ? 'esm' : 'cjs',
      target: 'es2022',
      // Node has had them for longer than that target.
      supported: { 'import-attributes': true },
      sourcefile: path,
      sourcemap: 'external',
      sourcesContent: false,
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    });
    return { code, map };
  },
};
