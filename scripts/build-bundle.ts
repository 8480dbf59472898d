import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The bundle could not be built; `output` is the output of the build. */
export class BuildError extends Error {
  override readonly name = 'BuildError';

  constructor(readonly output: string) {
    super('The plugin could not be built.', { cause: output });
  }
}

/** How {@link buildBundle} builds. */
export interface BundleSettings {
  /** Address of the service that the bundle talks to; by default the one of the build. */
  readonly serviceBaseUrl?: string;
  /** Folder to write to, absolute or relative to the project. */
  readonly outputDir: string;
  /** Aborts a running build. */
  readonly signal?: AbortSignal;
}

/**
 * Builds the plugin for production, as `npm run build` does, but without checking types.
 *
 * @returns the output of the build, with the table of the bundle's content
 * @throws {BuildError} when the build fails or is ended by `signal`.
 */
export async function buildBundle({
  serviceBaseUrl,
  outputDir,
  signal,
}: BundleSettings): Promise<string> {
  const webpack = createRequire(import.meta.url).resolve('webpack/bin/webpack.js');
  const child = spawn(
    process.execPath,
    [webpack, '--mode', 'production', '--output-path', outputDir],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        SKIP_TYPE_CHECK: 'true',
        ...(serviceBaseUrl === undefined ? {} : { SERVICE_BASE_URL: serviceBaseUrl }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal === undefined ? {} : { signal }),
    },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((done) => {
    child.once('error', () => done(null)); // not started, or ended by the signal
    child.once('close', done);
  });
  if (code !== 0) {
    throw new BuildError(output);
  }
  return output;
}
