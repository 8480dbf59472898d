import { transform } from 'esbuild';

/** A module of a library, as `unicode-segmenter/grapheme`; browsers do not know where libraries are. */
const OF_LIBRARY = /(?<= from ")([a-z-]+\/[a-z-]+)(?=")/g;

/**
 * Turns one TypeScript module into the JavaScript module a current browser runs. Types are checked elsewhere. Modules of
 * libraries are looked for under `/library/`.
 */
export async function toBrowserScript(source: string): Promise<string> {
  const { code } = await transform(source, {
    loader: 'ts',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code.replace(OF_LIBRARY, '/library/$1.js');
}
