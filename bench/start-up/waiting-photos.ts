import { writeRecord } from '../../src/features/queue/photo-record.js';
import { leaveSession } from '../signed-in-storage.js';
import { photoRecord } from '../../test/support/photo-record.js';

/** Leaves a storage behind as a plugin does that is connected and has so many photos waiting. */
export async function leaveWaitingPhotos(storageDir: string, count: number): Promise<void> {
  const queuedAt = Date.now();
  await leaveSession(storageDir, '8.4.0', 'svc_at_nobody', async ({ records }) => {
    await records.load();
    for (let position = 0; position < count; position += 1) {
      const id = position.toString(16).padStart(32, '0');
      const record = photoRecord(id, 8_000_000, { position, queuedAt });
      await records.put(id, writeRecord(record));
    }
  });
}
