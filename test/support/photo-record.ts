import { NO_CONTEXT, type PhotoRecord } from '../../src/features/queue/photo-record.js';

/** The record of a JPEG in the list that nothing has happened to. */
export function photoRecord(
  id: string,
  size: number,
  more: Partial<PhotoRecord> = {},
): PhotoRecord {
  return {
    id,
    name: `${id}.jpg`,
    type: 'image/jpeg',
    size,
    owner: null,
    position: 0,
    priority: 0,
    queuedAt: 0,
    uploadUrl: null,
    failure: null,
    ...NO_CONTEXT,
    replaces: null,
    ...more,
  };
}
