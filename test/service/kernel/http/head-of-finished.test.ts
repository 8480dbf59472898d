import { request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { listUploads } from '../../support/oauth-client.js';
import { useService } from '../../support/use-service.js';
import { create, head, locationOf, photo } from '../../support/tus-client.js';

/** Large enough that reading it through takes longer than an answer. */
const SIZE = 24_000_000;
const ROUNDS = 6;

describe('HEAD of an upload after its last byte', () => {
  let token: string;

  const service = useService();
  beforeAll(async () => {
    ({ accessToken: token } = await service.connect());
  });

  /** Sends all of the bytes, and is gone before the answer. */
  const sendAndDie = (url: string, bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      const sending = httpRequest(url, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${token}`,
          'tus-resumable': '1.0.0',
          'upload-offset': '0',
          'content-type': 'application/offset+octet-stream',
          'content-length': String(bytes.length),
        },
      });
      sending.on('error', reject);
      sending.on('socket', (socket) => {
        socket.once('connect', () => {
          const look = (): void => {
            if (socket.bytesWritten < bytes.length || socket.writableLength > 0) {
              setTimeout(look, 1);
              return;
            }
            sending.removeListener('error', reject);
            sending.on('error', () => undefined);
            sending.destroy();
            resolve();
          };
          look();
        });
      });
      sending.end(bytes);
    });

  it('returns the full length only when the upload is listed', async () => {
    const bytes = photo(SIZE, 3);
    let complete = 0;
    // At least some must complete. On a busy machine that may take more rounds.
    const isEnough = (round: number): boolean =>
      round >= ROUNDS && (complete > 0 || round >= 20 * ROUNDS);
    for (let round = 0; !isEnough(round); round += 1) {
      const url = locationOf(
        service.baseUrl,
        await create(service.baseUrl, token, {
          length: SIZE,
          metadata: { filename: `photo ${round}` },
        }),
      );
      await sendAndDie(url, bytes);

      const answer = await head(url, token);

      const { body } = await listUploads(service.baseUrl, token);
      const isListed = (body['uploads'] as { name: string }[]).some(
        ({ name }) => name === `photo ${round}`,
      );
      const isComplete = Number(answer.headers.get('upload-offset')) === SIZE;
      if (isComplete) {
        complete += 1;
        expect(isListed).toBe(true);
      }
    }
    expect(complete).toBeGreaterThan(0);
  });
});
