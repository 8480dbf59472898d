import { build } from 'esbuild';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../../..');

/** The modules of a program, as paths in the repository, and the libraries that they import. */
export interface Imports {
  readonly modules: string[];
  readonly libraries: string[];
}

/**
 * The modules that programs import at run time, directly or through others.
 * @param at `start`: only those that are loaded before the program runs, without `import()`.
 */
export async function importsOf(
  programs: readonly string[],
  at: 'start' | 'any time',
): Promise<Imports> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...programs],
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'nowhere',
    platform: 'node',
    format: 'esm',
    packages: 'external',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    logLevel: 'silent',
  });
  const modules = new Set(programs);
  const libraries = new Set<string>();
  for (const module of modules) {
    for (const { path: imported, kind, external } of metafile.inputs[module]?.imports ?? []) {
      if (at === 'any time' || kind !== 'dynamic-import') {
        (external === true ? libraries : modules).add(imported);
      }
    }
  }
  return { modules: [...modules], libraries: [...libraries] };
}
