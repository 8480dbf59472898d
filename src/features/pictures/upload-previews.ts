import { fromUint8Array } from 'js-base64';
import type { CurrentAccount } from '../../account/current-account.js';
import { CONTENT_SCOPE, lacksScope, WORKSPACE_SCOPE } from '../../account/service-access.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { CancelSignal } from '../../util/cancel.js';

export interface UploadPreviewsOptions {
  readonly requests: Pick<RequestQueue, 'send'>;
  /** Address of the uploads. */
  readonly endpoint: string;
  readonly account: Pick<CurrentAccount, 'state'>;
}

/** Longer ones are not shown. Bytes: the service's largest have about 1 MB. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Large pictures of files at the service. None is kept. */
export class UploadPreviews {
  constructor(private readonly options: UploadPreviewsOptions) {}

  /** @returns a `data:` URL; null while the service has no such picture, or without permission. Never rejects. */
  async load(upload: string, signal: CancelSignal): Promise<string | null> {
    const { requests, endpoint, account } = this.options;
    const current = account.state.get();
    if (lacksScope(current, CONTENT_SCOPE) && lacksScope(current, WORKSPACE_SCOPE)) {
      return null;
    }
    try {
      const { status, bytes } = await requests.send(
        {
          method: 'GET',
          url: `${endpoint}/${encodeURIComponent(upload)}/preview`,
          headers: { Accept: 'image/jpeg' },
          isBinary: true,
          maxResponseLength: MAX_BYTES,
          // A small picture is there already.
          repeatable: false,
        },
        signal,
      );
      const isJpeg =
        bytes !== undefined && isJpegStart(new Uint8Array(bytes, 0, Math.min(3, bytes.byteLength)));
      return status === 200 && isJpeg
        ? `data:image/jpeg;base64,${fromUint8Array(new Uint8Array(bytes))}`
        : null;
    } catch {
      return null;
    }
  }
}

function isJpegStart([first, second, third]: Uint8Array): boolean {
  return first === 0xff && second === 0xd8 && third === 0xff;
}
