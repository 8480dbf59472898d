import { createUxpHost } from '../src/host/uxp.js';
import type { Host } from '../src/host/host.js';
import { SECRET_KEYS, writeSession } from '../src/oauth/session/session-codec.js';
import { createHostModules, NO_NETWORK } from '../test/host/modules/index.js';

const LIFETIME_MS = 24 * 3_600_000;

/**
 * Leaves the storage of a plugin behind that is connected.
 * @param storageDir  of the app, as {@link storageOf} gives it
 * @param fill  adds more to it
 */
export async function leaveSession(
  storageDir: string,
  uxpVersion: string,
  accessToken: string,
  fill: (host: Host) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const modules = createHostModules({ storageDir, uxpVersion });
  const host = createUxpHost(modules, NO_NETWORK);
  const now = Date.now();
  const times = { obtainedAt: now, expiresAt: now + LIFETIME_MS };
  const session = { accessToken, refreshToken: null, ...times };
  await host.secrets.set(SECRET_KEYS.session, writeSession(session));
  await fill(host);
  modules.control.end();
}
