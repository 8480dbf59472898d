import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import webpack from 'webpack';

export interface Bundled {
  readonly script: string;
  /** Its source map, as JSON. */
  readonly map: string;
}

/**
 * Bundles one script for a browser or a host, as the plugin itself is.
 * @param entry path below the project
 * @param definitions names that the build replaces by expressions
 * @param root the project, or another state of it
 */
export async function bundle(
  entry: string,
  definitions: Readonly<Record<string, string>> = {},
  root = join(import.meta.dirname, '..'),
): Promise<Bundled> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-bundle-'));
  const compiler = webpack({
    mode: 'production',
    context: root,
    entry,
    target: ['web', 'es2020'],
    devtool: 'hidden-source-map',
    output: { path: folder, filename: 'page.js' },
    resolve: {
      extensions: ['.ts', '.js'],
      extensionAlias: { '.js': ['.ts', '.js'] },
      symlinks: false,
    },
    resolveLoader: { symlinks: false },
    module: {
      rules: [
        {
          test: /\.ts$/,
          loader: 'ts-loader',
          // `require` in our code is the host's own, for modules that exist only there.
          parser: { commonjs: false, amd: false, requireJs: false },
          options: {
            configFile: 'tsconfig.json',
            transpileOnly: true,
            compilerOptions: { noEmit: false, target: 'ES2020', sourceMap: true },
          },
        },
      ],
    },
    externals: { uxp: 'commonjs uxp' },
    plugins: [new webpack.DefinePlugin(definitions)],
    performance: { hints: false },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      compiler.run((error, stats) => {
        if (error) reject(error);
        else if (stats?.hasErrors() === true) reject(new Error(stats.toString('errors-only')));
        else resolve();
      });
    });
    const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
    return { script: await read('page.js'), map: await read('page.js.map') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
