import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

const OWN_SOURCE = readFileSync(import.meta.filename);

/**
 * What Jest loads in place of a module that its process keeps for all test files (worker-cache.ts): one that exports the
 * same, and loads nothing. A test file loads its own modules, so Jest would load the service and its libraries, some 400
 * modules, again for each.
 *
 * @type {import('@jest/transform').SyncTransformer}
 */
export default {
  canInstrument: false,
  getCacheKey: (source, path, { configString, supportsStaticESM }) =>
    createHash('sha256')
      .update([OWN_SOURCE, configString, supportsStaticESM, path, source].join('\0'))
      .digest('hex')
      .slice(0, 32),
  process(source, path, { supportsStaticESM }) {
    const file = JSON.stringify(path);
    if (!supportsStaticESM)
      return { code: `module.exports = globalThis.keptByWorker.require(${file});\n` };
    const lines = [`const kept = await globalThis.keptByWorker.import(${file});`];
    for (const name of exportsOf(source))
      lines.push(
        name === 'default'
          ? 'export default kept.default;'
          : `export const ${name} = kept.${name};`,
      );
    return { code: lines.join('\n') };
  },
};

/** The names of all that is there when the module runs: types are not. */
function exportsOf(source) {
  const { metafile } = buildSync({
    stdin: { contents: source, loader: 'ts' },
    outfile: 'kept.js',
    write: false,
    metafile: true,
    format: 'esm',
    logLevel: 'error',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return metafile.outputs['kept.js'].exports;
}
