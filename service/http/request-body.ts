import type { IncomingMessage } from 'node:http';

/** Largest body of a request that is no upload, in bytes. Forms of ours have some hundred. */
export const MAX_BODY_BYTES = 16 * 1024;

export type BodyResult = { readonly body: Buffer } | { readonly problem: 'too_large' | 'gone' };

/** Whether the body is announced to be larger than it may be. */
export function announcesTooMuch(request: IncomingMessage, limit = MAX_BODY_BYTES): boolean {
  return Number(request.headers['content-length'] ?? 0) > limit;
}

/**
 * Reads the body of a request to its end, holding no more of it than `limit` bytes. Reading
 * stops where the body turns out to be larger. `gone`: the connection ended before the body did.
 */
export function readBody(request: IncomingMessage, limit = MAX_BODY_BYTES): Promise<BodyResult> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (result: BodyResult): void => {
      request.off('data', take).off('end', end).off('close', gone).off('error', gone);
      resolve(result);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) {
        request.pause();
        done({ problem: 'too_large' });
      } else {
        chunks.push(chunk);
      }
    };
    const end = (): void => done({ body: Buffer.concat(chunks) });
    const gone = (): void => done({ problem: 'gone' });
    if (request.destroyed) {
      gone();
    } else {
      request.on('data', take).on('end', end).on('close', gone).on('error', gone);
    }
  });
}
