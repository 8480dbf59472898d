/** Bundles one script as the project in the working directory bundles its plugin: `node bundle-process.js ENTRY FOLDER`. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [entry, path] = process.argv.slice(2);
const root = process.cwd();
// An earlier version is bundled with its own packages.
const webpack = createRequire(join(root, 'package.json'))('webpack');
const { default: configure } = await import(pathToFileURL(join(root, 'webpack.config.js')).href);
const config = await configure({ unchecked: true }, { mode: 'production' });
// The others write and check the files of a release.
const plugins = config.plugins.filter(
  (plugin) => plugin instanceof webpack.DefinePlugin || plugin instanceof webpack.ProvidePlugin,
);

webpack({ ...config, entry, plugins, output: { path, filename: 'page.js' } }, (error, stats) => {
  if (error || stats?.hasErrors()) {
    console.error(error ?? stats.toString('errors-only'));
    process.exitCode = 1;
  }
});
