import { build, transform } from 'esbuild';
import { fileURLToPath } from 'node:url';

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

/** Joins a module with all that it imports into one script. Does not check types. */
export async function toBrowserBundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // As in the bundle of the plugin (webpack.config.js).
    alias: { 'url-parse': fileURLToPath(new URL('../src/util/resolve-url.ts', import.meta.url)) },
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}
