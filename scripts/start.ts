/** `npm start`: builds the plugin, starts the local service and the preview, and prints their addresses. */
import './node-version.js';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { photoshop } from '../build/hosts.js';
import { parsePort, startPreview } from '../preview/server.js';
import { BuildError } from './build-bundle.js';
import { buildPlugin } from './kept-build.js';

const USAGE =
  'Usage: npm start -- [--service-port N] [--preview-port N] [--data FOLDER] [--dist FOLDER] [--tls]';

interface Running {
  close(): Promise<void>;
}

interface Settings {
  readonly servicePort: number;
  readonly previewPort: number;
  readonly dataDir: string;
  /** Where the plugin is built to. */
  readonly distDir: string;
  /** Whether the service speaks https, with its own certificate. */
  readonly tls: boolean;
}

function readSettings(): Settings {
  const { values } = parseArgs({
    options: {
      'service-port': { type: 'string', default: '8780' },
      'preview-port': { type: 'string', default: '8781' },
      data: { type: 'string', default: 'data' },
      dist: { type: 'string', default: 'dist' },
      tls: { type: 'boolean', default: false },
    },
  });
  return {
    servicePort: parsePort(values['service-port'], '--service-port'),
    previewPort: parsePort(values['preview-port'], '--preview-port'),
    dataDir: values.data,
    distDir: values.dist,
    tls: values.tls,
  };
}

/** Starts each part after the parts that it needs, and adds it to `running`. */
async function start(settings: Settings, running: Running[], signal: AbortSignal): Promise<void> {
  // Loaded only now, because the service is large: a wrong option is reported before.
  const { loadQuietly } = await import('../service/load.js');
  const { startService } = await loadQuietly(() => import('../service/start.js'));
  const service = await startService({
    port: settings.servicePort,
    dataDir: settings.dataDir,
    tls: settings.tls,
  });
  running.push(service);
  await buildPlugin(service.baseUrl, resolve(settings.distDir), photoshop, {
    signal,
    onBuild: () => console.log('Building the plugin …'),
  });
  const preview = await startPreview({ port: settings.previewPort, distDir: settings.distDir });
  running.push(preview);
  const { username, password, workspace } = service.demo;
  console.log(
    [
      '',
      `  Preview   ${preview.url}   a creative app with the plugin in its panel: start here`,
      `  Service   ${service.baseUrl}   where photos go; its data is in ${settings.dataDir}`,
      `  Sign in   ${username} / ${password}   (workspace "${workspace}")`,
      ...(service.authorityFile === undefined
        ? []
        : [
            '',
            `  This computer must trust the service's certificate: ${service.authorityFile}`,
            '  (docs/uxp-development.md, "The service over https"). For the preview alone it is enough to open',
            '  the service in the same browser once and to go on past the warning.',
          ]),
      '',
      '  Ctrl+C ends both.',
      '',
    ].join('\n'),
  );
}

async function main(): Promise<void> {
  const settings = readSettings();
  const running: Running[] = [];
  const stop = new AbortController();
  // A second signal ends the process at once, in case a part hangs while closing.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stop.abort());
  }
  const stopped = new Promise<void>((done) => stop.signal.addEventListener('abort', () => done()));
  try {
    await start(settings, running, stop.signal);
    await stopped;
  } catch (error) {
    if (!stop.signal.aborted) {
      throw error;
    }
  } finally {
    for (const part of running.reverse()) {
      await part.close();
    }
  }
}

main().catch((error: unknown) => {
  if (error instanceof BuildError) {
    console.error(error.output);
  }
  const badOption =
    error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  console.error(error instanceof Error ? error.message : String(error));
  if (badOption) {
    console.error(USAGE);
  }
  process.exitCode = 1;
});
