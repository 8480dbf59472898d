import { transform } from 'esbuild';

/** Turns one TypeScript module into a JavaScript module for a current browser. Does not check types. */
export async function toBrowserScript(source: string, loader: 'ts' | 'tsx'): Promise<string> {
  const { code } = await transform(source, {
    loader,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    target: 'es2022',
    // Browsers need them to import JSON.
    supported: { 'import-attributes': true },
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code;
}
