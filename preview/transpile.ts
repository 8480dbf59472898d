import ts from 'typescript';

/** A module of a library, as `unicode-segmenter/grapheme`; browsers do not know where libraries are. */
const OF_LIBRARY = /(?<= from )'([a-z-]+\/[a-z-]+)'/g;

/**
 * Turns one TypeScript module into the JavaScript module a current browser runs. Types are checked elsewhere. Modules of
 * libraries are looked for under `/library/`.
 */
export function toBrowserScript(source: string): string {
  return ts
    .transpileModule(source, {
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
      },
    })
    .outputText.replace(OF_LIBRARY, "'/library/$1.js'");
}
