import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import webpack from 'webpack';

/**
 * Bundles one script for a browser or a host. Gives it.
 * @param entry path below the project
 * @param root the project, or another state of it
 */
export async function bundle(
  entry: string,
  root = join(import.meta.dirname, '..'),
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-bundle-'));
  const compiler = webpack({
    mode: 'production',
    context: root,
    entry,
    target: ['web', 'es2020'],
    devtool: false,
    output: { path: folder, filename: 'page.js' },
    resolve: {
      extensions: ['.ts', '.tsx', '.js'],
      extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
      symlinks: false,
    },
    resolveLoader: { symlinks: false },
    module: {
      rules: [
        {
          test: /\.tsx?$/,
          loader: 'ts-loader',
          // `require` in our code is the host's own, for modules that exist only there.
          parser: { commonjs: false, amd: false, requireJs: false },
          options: {
            configFile: 'tsconfig.json',
            transpileOnly: true,
            compilerOptions: { noEmit: false, target: 'ES2020', sourceMap: false },
          },
        },
      ],
    },
    externals: { uxp: 'commonjs uxp' },
    performance: { hints: false },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      compiler.run((error, stats) => {
        if (error) {
          reject(error);
        } else if (stats?.hasErrors() === true) {
          reject(new Error(stats.toString('errors-only')));
        } else {
          resolve();
        }
      });
    });
    return await readFile(join(folder, 'page.js'), 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
