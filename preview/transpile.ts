import { transform } from 'esbuild';

/** The import of a library's module, such as `unicode-segmenter/grapheme`. Browsers do not know where libraries are. */
const OF_LIBRARY = /(?<= from ")([a-z-]+\/[a-z-]+)(?=")/g;

/**
 * Turns one TypeScript module into a JavaScript module for a current browser. Does not check types. Imports of library
 * modules are changed to addresses under `/library/`.
 */
export async function toBrowserScript(source: string): Promise<string> {
  const { code } = await transform(source, {
    loader: 'ts',
    target: 'es2022',
    // Browsers need them to import JSON.
    supported: { 'import-attributes': true },
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code.replace(OF_LIBRARY, '/library/$1.js');
}
