import ts from 'typescript';

/** Turns one TypeScript module into the JavaScript module a current browser runs. Types are checked elsewhere. */
export function toBrowserScript(source: string): string {
  return ts.transpileModule(source, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
    },
  }).outputText;
}
