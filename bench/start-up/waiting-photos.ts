import { NO_CONTEXT, writeRecord } from '../../src/features/queue/photo-record.js';
import { leaveSession } from '../signed-in-storage.js';

/** Leaves a storage behind as a plugin does that is connected and has so many photos waiting. */
export async function leaveWaitingPhotos(storageDir: string, count: number): Promise<void> {
  const queuedAt = Date.now();
  await leaveSession(storageDir, '8.4.0', 'svc_at_nobody', async ({ records }) => {
    await records.load();
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
        queuedAt,
        uploadUrl: null,
        failure: null,
        ...NO_CONTEXT,
        replaces: null,
      };
      await records.put(id, writeRecord(record));
    }
  });
}
