import { tsImport } from 'tsx/esm/api';
import webpack from 'webpack';

/** Fails a webpack build whose output uses anything that UXP hosts do not document. */
export class HostCheckPlugin {
  /** @param {import('webpack').Compiler} compiler */
  apply(compiler) {
    compiler.hooks.afterEmit.tapPromise('HostCheckPlugin', async (compilation) => {
      const { checkBundle, describe } = await tsImport('./host-check.ts', import.meta.url);
      for (const problem of checkBundle({ distDir: compiler.outputPath })) {
        compilation.errors.push(new webpack.WebpackError(describe(problem)));
      }
    });
  }
}
