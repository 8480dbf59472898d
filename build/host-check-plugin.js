import { tsImport } from 'tsx/esm/api';
import webpack from 'webpack';

/** Fails a webpack build whose output uses anything that UXP hosts do not document. */
export class HostCheckPlugin {
  /** Loaded once: a watching build would otherwise pay for it at every change. */
  #check;

  /** @param {import('webpack').Compiler} compiler */
  apply(compiler) {
    compiler.hooks.afterEmit.tapPromise('HostCheckPlugin', async (compilation) => {
      this.#check ??= tsImport('./host-check.ts', import.meta.url);
      const { checkBundle, describe } = await this.#check;
      for (const problem of checkBundle({ distDir: compiler.outputPath })) {
        compilation.errors.push(new webpack.WebpackError(describe(problem)));
      }
    });
  }
}
