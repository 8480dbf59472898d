import { createRequire } from 'node:module';
import webpack from 'webpack';
import { librariesOf, licenseProblem, licensesText } from './licenses.js';

/** Writes `licenses.txt` with the licences of everything in the bundle. A licence that forbids this fails the build. */
export class LicensesPlugin {
  apply(compiler: webpack.Compiler): void {
    compiler.hooks.thisCompilation.tap('LicensesPlugin', (compilation) => {
      // The bundle begins with a few functions of webpack itself.
      const files = new Set([createRequire(import.meta.url).resolve('webpack')]);
      compilation.hooks.finishModules.tap('LicensesPlugin', (modules) => {
        for (const module of modules) {
          if (module instanceof webpack.NormalModule) {
            files.add(module.resource);
          }
        }
      });
      const stage = webpack.Compilation.PROCESS_ASSETS_STAGE_ADDITIONAL;
      compilation.hooks.processAssets.tap({ name: 'LicensesPlugin', stage }, () => {
        const libraries = librariesOf(files);
        for (const library of libraries) {
          const problem = licenseProblem(library, true);
          if (problem !== undefined) {
            compilation.errors.push(new webpack.WebpackError(problem));
          }
        }
        compilation.emitAsset(
          'licenses.txt',
          new webpack.sources.RawSource(licensesText(libraries)),
        );
      });
    });
  }
}
