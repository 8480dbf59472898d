import type { IncomingMessage } from 'node:http';

/** The default limit of {@link readBody}, in bytes. Our largest form, with 50 ticked photos, has about 2 KiB. */
export const MAX_BODY_BYTES = 16 * 1024;

export type BodyResult = { readonly body: Buffer } | { readonly problem: 'too_large' | 'gone' };

/** Whether `Content-Length` announces a body of more than `limit` bytes. */
export function declaresTooLarge(request: IncomingMessage, limit = MAX_BODY_BYTES): boolean {
  return Number(request.headers['content-length'] ?? 0) > limit;
}

/**
 * Reads the body of a request to its end.
 * @param limit the largest size in bytes. Reading stops as soon as the body turns out to be larger.
 * @returns the body; `gone` when the connection ended before the body did.
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
