import webpack from 'webpack';
import { bytesByOrigin, gzippedSize, overBudget, sizeTable } from './bundle-sizes.js';

/**
 * Prints what the bundle consists of, and fails the build when all scripts together are larger than the budget.
 * It needs a source map, which it makes and removes again before anything is written.
 */
export class BundleSizesPlugin {
  readonly #maxGzipped: number;

  /** @param options.maxGzipped the budget for all scripts after gzip, in bytes */
  constructor({ maxGzipped }: { readonly maxGzipped: number }) {
    this.#maxGzipped = maxGzipped;
  }

  apply(compiler: webpack.Compiler): void {
    // Without `append` the script does not mention the map.
    new webpack.SourceMapDevToolPlugin({
      filename: '[file].map',
      append: false,
      noSources: true,
    }).apply(compiler);
    let table = '';
    compiler.hooks.thisCompilation.tap('BundleSizesPlugin', (compilation) => {
      const stage = webpack.Compilation.PROCESS_ASSETS_STAGE_REPORT;
      compilation.hooks.processAssets.tap({ name: 'BundleSizesPlugin', stage }, (assets) => {
        const text = (name: string): string | undefined =>
          compilation.getAsset(name)?.source.source().toString();
        let all = '';
        const sizes = new Map<string, number>();
        for (const name of Object.keys(assets).filter((asset) => asset.endsWith('.js'))) {
          const script = text(name) ?? '';
          const map = text(`${name}.map`);
          if (map === undefined) {
            continue;
          }
          for (const [origin, size] of bytesByOrigin(script, map)) {
            sizes.set(origin, (sizes.get(origin) ?? 0) + size);
          }
          all += script;
          compilation.deleteAsset(`${name}.map`);
        }
        table = sizeTable(all, sizes);
        const gzipped = gzippedSize(all);
        if (gzipped > this.#maxGzipped) {
          const problem = overBudget(gzipped, this.#maxGzipped, sizes);
          compilation.errors.push(new webpack.WebpackError(`${problem}\n${table}`));
        }
      });
    });
    compiler.hooks.done.tap('BundleSizesPlugin', (stats) => {
      if (!stats.hasErrors()) {
        console.log(`What is in the bundle:\n${table}`);
      }
    });
  }
}
