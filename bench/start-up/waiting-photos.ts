import { createUxpHost } from '../../src/host/uxp.js';
import { SECRET_KEYS, writeSession } from '../../src/oauth/session/session-codec.js';
import { NO_CONTEXT, writeRecord } from '../../src/features/queue/photo-record.js';
import { createHostModules } from '../../test/host/modules/index.js';

const HOUR_MS = 3_600_000;

/** Leaves a storage behind as a plugin does that is connected and has so many photos waiting. */
export async function leaveWaitingPhotos(storageDir: string, count: number): Promise<void> {
  const modules = createHostModules({ storageDir, uxpVersion: '8.4.0' });
  const host = createUxpHost(modules, {
    createXhr: () => {
      throw new Error('no network here');
    },
    writeClipboard: () => Promise.resolve(),
    listen: () => undefined,
  });
  const now = Date.now();
  await host.secrets.set(
    SECRET_KEYS.session,
    writeSession({
      accessToken: 'svc_at_nobody',
      refreshToken: null,
      obtainedAt: now,
      expiresAt: now + 24 * HOUR_MS,
    }),
  );
  await host.records.load();
  for (let position = 0; position < count; position += 1) {
    const id = position.toString(16).padStart(32, '0');
    const record = {
      id,
      name: `IMG_${String(position).padStart(5, '0')}.jpg`,
      type: 'image/jpeg',
      size: 8_000_000,
      owner: null,
      position,
      priority: 0,
      queuedAt: now,
      uploadUrl: null,
      failure: null,
      ...NO_CONTEXT,
      replaces: null,
    };
    await host.records.put(id, writeRecord(record));
  }
  modules.control.end();
}
