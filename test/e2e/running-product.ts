import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';

import { startPreview, type Preview } from '../../preview/server.js';
import { startTestService, type TestService } from '../service/support/running-service.js';
import { buildPlugin } from '../../scripts/kept-build.js';
import { launchBrowser, type LaunchOptions } from './browser.js';
import type { CleanUp } from './clean-up.js';

/** The whole product on this machine: service, built plugin in the preview, and a browser. */
export interface RunningProduct {
  /** A separate folder for files of the test. */
  readonly folder: string;
  readonly service: TestService;
  readonly preview: Preview;
  readonly browser: Browser;
}

/**
 * Starts the product in a new folder.
 * @param cleanUp gets what ends it all again, also of a start that fails halfway.
 */
export async function startProduct(
  name: string,
  cleanUp: CleanUp,
  options?: LaunchOptions,
): Promise<RunningProduct> {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  cleanUp.add(() => rm(folder, { recursive: true, force: true }));
  const service = await startTestService({
    lifetimes: { pollIntervalSeconds: 1 },
  });
  cleanUp.add(() => service.close());
  await buildPlugin(service.baseUrl, join(folder, 'dist'));
  const preview = await startPreview({ port: 0, distDir: join(folder, 'dist') });
  cleanUp.add(() => preview.close());
  const browser = await launchBrowser(options);
  cleanUp.add(() => browser.close());
  return { folder, service, preview, browser };
}
