import type { RequestQueue } from '../../api/request-queue.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import type { CancelSignal } from '../../util/cancel.js';
import type { Spool } from '../../host/spool.js';
import type { PhotoRecord, UploadReceipt } from '../queue/index.js';

export interface PosterOptions {
  readonly spool: Pick<Spool, 'picture'>;
  readonly requests: Pick<RequestQueue, 'sendOutOfBand'>;
  readonly capabilities: CapabilitySource;
  /** Address of the upload collection. */
  readonly endpoint: string;
}

/** The picture that the app made of a film; null for everything else. Read it before the copy of the film is deleted. */
export function readPoster(
  { spool }: Pick<PosterOptions, 'spool'>,
  { id, type }: PhotoRecord,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const isFilm = type.startsWith('video/');
  return (isFilm ? spool.picture?.(id) : undefined) ?? Promise.resolve(null);
}

/**
 * Sends the picture of an uploaded film, once. Without it the service chooses a frame itself, so every failure is ignored.
 * Never rejects.
 */
export async function sendPoster(
  { requests, capabilities, endpoint }: PosterOptions,
  { uploadId }: UploadReceipt,
  poster: Promise<Uint8Array<ArrayBuffer> | null>,
  signal: CancelSignal,
): Promise<void> {
  try {
    const picture = await poster;
    if (picture === null || uploadId === null || !(await capabilities.get(signal)).uploadPosters) {
      return;
    }
    await requests.sendOutOfBand(
      {
        method: 'PUT',
        url: `${endpoint}/${uploadId}/poster`,
        headers: { 'Content-Type': 'image/jpeg' },
        body: picture.buffer,
      },
      signal,
    );
  } catch {
    // The film has arrived.
  }
}
