import { readFileSync } from 'node:fs';
import CopyPlugin from 'copy-webpack-plugin';
import TerserPlugin from 'terser-webpack-plugin';
import webpack from 'webpack';
import { BundleSizesPlugin } from './build/bundle-sizes-plugin.js';
import { HostCheckPlugin } from './build/host-check-plugin.js';
import { developmentHost } from './build/hosts.js';
import { completeManifest } from './build/manifest.js';

const here = import.meta.dirname;
const { version } = JSON.parse(readFileSync(`${here}/package.json`, 'utf8'));

/** What a build is for; see "Build-time settings" in the README. */
const build = {
  version,
  serviceBaseUrl: process.env.SERVICE_BASE_URL ?? 'http://127.0.0.1:8780',
  clientId: process.env.OAUTH_CLIENT_ID ?? 'creative-workspace-plugin',
  scope: process.env.OAUTH_SCOPE ?? 'uploads:write',
  host: developmentHost,
};

/** Everything that ships as script, gzipped, in bytes. p-queue and tus-js-client alone are half of it. */
const MAX_GZIPPED = 40_000;

/** @returns {import('webpack').Configuration} */
export default (_env, { mode = 'production' } = {}) => ({
  mode,
  context: here,
  entry: './src/main.ts',
  // One classic script, ES2020: what the host is known to run.
  target: ['web', 'es2020'],
  // Inside the script, so that the host's debugger need not find another file; never with `eval`, which hosts refuse.
  devtool: mode === 'development' ? 'inline-source-map' : false,
  output: { path: `${here}/dist`, filename: 'main.js', clean: true },
  resolve: {
    extensions: ['.ts', '.js'],
    extensionAlias: { '.js': ['.ts', '.js'] },
  },
  module: {
    rules: [
      {
        test: /\.ts$/,
        loader: 'ts-loader',
        // `require` in our code is the host's own, for modules that exist only there: left as written.
        parser: { commonjs: false, amd: false, requireJs: false },
        options: { configFile: 'tsconfig.src.json', onlyCompileBundledFiles: true },
      },
      {
        // Libraries written for newer engines than the host's are brought down to ES2020 too.
        test: /node_modules[\\/](p-queue|p-timeout|eventemitter3|idb-keyval)[\\/].*\.m?js$/,
        loader: 'ts-loader',
        options: {
          configFile: 'tsconfig.src.json',
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
      BUILD_SERVICE_BASE_URL: JSON.stringify(build.serviceBaseUrl),
      BUILD_OAUTH_CLIENT_ID: JSON.stringify(build.clientId),
      BUILD_OAUTH_SCOPE: JSON.stringify(build.scope),
      BUILD_PLUGIN_VERSION: JSON.stringify(build.version),
    }),
    // p-queue calls a global that the host does not document; it gets a module of ours instead.
    new webpack.ProvidePlugin({ queueMicrotask: [`${here}/src/base/microtask.ts`, 'default'] }),
    new CopyPlugin({
      patterns: [
        { from: 'src/static' },
        {
          from: 'manifest.json',
          transform: (content) =>
            `${JSON.stringify(completeManifest(JSON.parse(content.toString()), build), null, 2)}\n`,
        },
      ],
    }),
    new HostCheckPlugin(),
    ...(mode === 'production' ? [new BundleSizesPlugin({ maxGzipped: MAX_GZIPPED })] : []),
  ],
  optimization: {
    minimize: mode === 'production',
    minimizer: [
      new TerserPlugin({ extractComments: false, terserOptions: { format: { comments: false } } }),
    ],
  },
  performance: { hints: false },
  stats: 'errors-warnings',
});
