import webpack from 'webpack';
import { bytesByOrigin, gzippedSize, sizeTable } from './bundle-sizes.js';

/**
 * Prints what the bundle consists of and fails the build when all script together is larger than the budget.
 * It makes a source map for that and takes it out again before anything is written.
 */
export class BundleSizesPlugin {
  #maxGzipped;

  /** @param {{ maxGzipped: number }} options  the budget in bytes */
  constructor({ maxGzipped }) {
    this.#maxGzipped = maxGzipped;
  }

  /** @param {import('webpack').Compiler} compiler */
  apply(compiler) {
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
        let all = '';
        /** @type {Map<string, number>} */
        const sizes = new Map();
        for (const name of Object.keys(assets).filter((asset) => asset.endsWith('.js'))) {
          const script = String(compilation.getAsset(name)?.source.source() ?? '');
          const map = compilation.getAsset(`${name}.map`);
          if (map === undefined) continue;
          const bytes = bytesByOrigin(script, JSON.parse(String(map.source.source())));
          for (const [origin, size] of bytes) sizes.set(origin, (sizes.get(origin) ?? 0) + size);
          all += script;
          compilation.deleteAsset(`${name}.map`);
        }
        table = sizeTable(all, sizes);
        const gzipped = gzippedSize(all);
        if (gzipped > this.#maxGzipped) {
          compilation.errors.push(
            new webpack.WebpackError(
              `The script is ${gzipped} bytes gzipped; the budget is ${this.#maxGzipped}.\n${table}`,
            ),
          );
        }
      });
    });
    compiler.hooks.done.tap('BundleSizesPlugin', (stats) => {
      if (!stats.hasErrors()) console.log(`What is in the bundle:\n${table}`);
    });
  }
}
