import webpack from 'webpack';
import { bytesByOrigin, gzippedSize, sizeAlarm, sizeTable } from './bundle-sizes.js';

/**
 * Prints what the bundle consists of, and warns when all scripts together are larger than `alarm`.
 * It needs a source map, which it makes and removes again before anything is written.
 */
export class BundleSizesPlugin {
  readonly #alarm: number;

  /** @param options.alarm the size of all scripts after gzip above which there is a warning, in bytes */
  constructor({ alarm }: { readonly alarm: number }) {
    this.#alarm = alarm;
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
        if (gzipped > this.#alarm) {
          const warning = sizeAlarm(gzipped, this.#alarm, sizes);
          compilation.warnings.push(new webpack.WebpackError(warning));
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
