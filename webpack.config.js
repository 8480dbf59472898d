import './scripts/node-version.js';
import { readFileSync } from 'node:fs';
import CopyPlugin from 'copy-webpack-plugin';
import TerserPlugin from 'terser-webpack-plugin';
import { tsImport } from 'tsx/esm/api';
import webpack from 'webpack';
import { HostCheckPlugin } from './build/host-check-plugin.js';

const here = import.meta.dirname;
const { version } = JSON.parse(readFileSync(`${here}/package.json`, 'utf8'));

/** Size of all script after gzip, in bytes, above which the build warns: 160 KiB. */
const SIZE_ALARM = 163_840;

/** @returns {Promise<import('webpack').Configuration>} */
export default async ({ unchecked = false } = {}, { mode = 'production' } = {}) => {
  const { BundleSizesPlugin } = await tsImport('./build/bundle-sizes-plugin.ts', import.meta.url);
  const { photoshop } = await tsImport('./build/hosts.ts', import.meta.url);
  const { LicensesPlugin } = await tsImport('./build/licenses-plugin.ts', import.meta.url);
  const { completeManifest, manifestText } = await tsImport('./build/manifest.ts', import.meta.url);
  const { shellTexts } = await tsImport('./build/shell-texts.ts', import.meta.url);
  const { readSettings, SettingError } = await tsImport('./build/settings.ts', import.meta.url);
  let settings;
  try {
    settings = readSettings(process.env);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    // webpack would print a stack with it.
    console.error(error.message);
    process.exit(1);
  }

  return {
    mode,
    context: here,
    entry: {
      // The first script is small: it draws the panel and loads the second.
      shell: './src/shell.ts',
      main: './src/main.ts',
    },
    // Classic scripts, ES2020: what the host is known to run.
    target: ['web', 'es2020'],
    // Inside the script, so that the host's debugger need not find another file; never with `eval`, which hosts refuse.
    devtool: mode === 'development' ? 'inline-source-map' : false,
    output: { path: `${here}/dist`, filename: '[name].js', clean: true },
    resolve: {
      extensions: ['.ts', '.tsx', '.js'],
      extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
      // Of this library tus-js-client uses what a small module of ours does.
      alias: { 'url-parse$': `${here}/src/util/resolve-url.ts` },
      // Modules are numbered by their path below this folder, wherever node_modules may really be.
      symlinks: false,
    },
    resolveLoader: { symlinks: false },
    module: {
      rules: [
        {
          test: /\.tsx?$/,
          loader: 'ts-loader',
          // `require` in our code is the host's own, for modules that exist only there: left as written.
          parser: { commonjs: false, amd: false, requireJs: false },
          options: {
            configFile: 'src/tsconfig.json',
            onlyCompileBundledFiles: true,
            // For builds of sources whose types are checked elsewhere; the script is the same.
            transpileOnly: unchecked || process.env.SKIP_TYPE_CHECK === 'true',
          },
        },
        {
          // Libraries written for newer engines than the host's are brought down to ES2020 too.
          test: /node_modules[\\/](p-queue|p-timeout|eventemitter3|idb-keyval|@noble[\\/]hashes)[\\/].*\.m?js$/,
          loader: 'ts-loader',
          options: {
            configFile: 'src/tsconfig.json',
            transpileOnly: true,
            instance: 'libraries',
            compilerOptions: {
              allowJs: true,
              checkJs: false,
              sourceMap: false,
              isolatedModules: true,
            },
          },
        },
      ],
    },
    plugins: [
      new webpack.DefinePlugin({
        BUILD_SERVICE_BASE_URL: JSON.stringify(settings.serviceBaseUrl),
        BUILD_OAUTH_CLIENT_ID: JSON.stringify(settings.clientId),
        BUILD_OAUTH_SCOPE: JSON.stringify(settings.scope),
        BUILD_PLUGIN_VERSION: JSON.stringify(version),
        BUILD_SHELL_TEXTS: JSON.stringify(shellTexts()),
        // The host does not document them: preact/hooks uses timers instead.
        requestAnimationFrame: 'undefined',
        cancelAnimationFrame: 'undefined',
      }),
      // p-queue calls a global that the host does not document; it gets a module of ours instead.
      new webpack.ProvidePlugin({ queueMicrotask: [`${here}/src/util/microtask.ts`, 'default'] }),
      new CopyPlugin({
        patterns: [
          { from: 'src/static' },
          {
            from: 'manifest.json',
            transform: (content) =>
              manifestText(
                completeManifest(JSON.parse(content.toString()), {
                  version,
                  serviceBaseUrl: settings.serviceBaseUrl,
                  host: photoshop,
                }),
              ),
          },
        ],
      }),
      new LicensesPlugin(),
      new HostCheckPlugin(),
      ...(mode === 'production' ? [new BundleSizesPlugin({ alarm: SIZE_ALARM })] : []),
    ],
    optimization: {
      minimize: mode === 'production',
      minimizer: [
        new TerserPlugin({
          extractComments: false,
          // What is written is ES2020 already, so the minifier may write it too.
          terserOptions: { ecma: 2020, format: { comments: false } },
        }),
      ],
    },
    performance: { hints: false },
    stats: 'errors-warnings',
  };
};
