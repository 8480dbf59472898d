import { hostApp, storageOf } from '../test/host/manifest.js';
import { openPlugin, type Plugin } from '../test/host/host.js';
import { leaveSession } from './signed-in-storage.js';

const LOOK_EVERY_MS = 5;
const LONGEST_MS = 600_000;

/** Opens a built plugin that is connected already. */
export async function openSignedIn(options: {
  readonly dist: string;
  readonly storageDir: string;
  readonly app: string;
  readonly uxpVersion: string;
  readonly accessToken: string;
}): Promise<Plugin> {
  const { dist, storageDir, app, uxpVersion, accessToken } = options;
  await leaveSession(storageOf(storageDir, hostApp(app, uxpVersion)), uxpVersion, accessToken);
  const host = { app };
  return openPlugin({ dist, storageDir, uxpVersion, host, allowLoopbackHttp: true });
}

/** Looks more often than the plugin's `waitFor`. @throws {Error} after ten minutes, with the text of the panel */
export async function until(plugin: Plugin, isThere: () => boolean): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  while (!isThere()) {
    if (performance.now() > deadline) {
      throw new Error(`the panel shows: ${plugin.text()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
