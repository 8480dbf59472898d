import { createHash } from 'node:crypto';
import type { PendingExchange } from '../../support/conversation.js';
import { metadataOf } from './upload-metadata.js';

/** The id of the earlier version that the service has of every third photo, by the number in its name. */
export function earlierVersionOf(name: string): string | null {
  const number = parseInt(name, 10);
  return number % 3 === 0 ? `old-${number}` : null;
}

interface HeldUpload {
  readonly clientUploadId: string;
  readonly name: string;
  readonly project: string | null;
  readonly replaces: string | null;
  readonly document: string | null;
  readonly size: number;
  readonly bytes: number[];
}

/**
 * The least of a tus service with accounts: what each account holds by address, and sound answers. The
 * test decides when it responds, and whether the response is received.
 */
export class ModelService {
  private readonly accounts = new Map<string, Map<string, HeldUpload>>();
  private made = 0;

  /**
   * @param findsAgain  whether a creation that is repeated finds the upload by its client_upload_id; without it makes a
   *   second one, and takes no bytes
   */
  constructor(
    private readonly endpoint: string,
    private readonly findsAgain = true,
  ) {}

  /** Carries out a request of this account, and returns the response. */
  handle(account: string, { request }: PendingExchange): { status: number; headers: Headers } {
    const uploads = this.uploadsOf(account);
    const { method, url, headers, body } = request;
    const metadata = metadataOf({ request });
    if (url.endsWith('/known')) return answer(200);
    const bytes = body instanceof ArrayBuffer ? [...new Uint8Array(body)] : [];
    if (method === 'POST') {
      const { client_upload_id: clientUploadId = '', filename: name = '' } = metadata;
      const { project = null, replaces = null, document = null } = metadata;
      let [address, upload] =
        [...uploads].find(
          ([, held]) => this.findsAgain && held.clientUploadId === clientUploadId,
        ) ?? [];
      if (!upload || address === undefined) {
        this.made += 1;
        address = `${this.endpoint}/u-${this.made}`;
        const size = Number(headers['Upload-Length']);
        upload = {
          clientUploadId,
          name,
          project,
          replaces,
          document,
          size,
          bytes: this.findsAgain ? bytes : [],
        };
        uploads.set(address, upload);
      }
      if (!this.findsAgain) return answer(201, { Location: address });
      return answer(201, { Location: address, 'Upload-Offset': String(upload.bytes.length) });
    }
    const upload = uploads.get(url);
    if (!upload) return answer(404);
    const { length } = upload.bytes;
    if (method === 'HEAD')
      return answer(200, {
        'Upload-Offset': String(length),
        'Upload-Length': String(upload.size),
      });
    if (method === 'PATCH') {
      if (Number(headers['Upload-Offset']) !== length) return answer(409);
      upload.bytes.push(...bytes);
      return answer(204, { 'Upload-Offset': String(upload.bytes.length) });
    }
    // Like the real service, it keeps finished uploads.
    if (length === upload.size) return answer(403);
    uploads.delete(url);
    return answer(204);
  }

  /** The client_upload_id of the photo a request is about, whosever it is; null for requests about none. */
  photoOf({ request }: PendingExchange): string | null {
    const held = [...this.accounts.values()].find((uploads) => uploads.has(request.url));
    const { client_upload_id: id } = metadataOf({ request });
    return id ?? held?.get(request.url)?.clientUploadId ?? null;
  }

  /** Finished uploads of an account as texts of their bytes. */
  arrived(account: string): string[] {
    return [...this.uploadsOf(account).values()]
      .filter(({ size, bytes }) => bytes.length === size)
      .map(({ bytes }) => Buffer.from(bytes).toString());
  }

  /** Finished uploads of an account, by the texts of their bytes. */
  finished(account: string): Map<string, HeldUpload> {
    const finished = [...this.uploadsOf(account).values()].filter(
      ({ size, bytes }) => bytes.length === size,
    );
    return new Map(finished.map((upload) => [Buffer.from(upload.bytes).toString(), upload]));
  }

  /** Which of these files an account has here, and which earlier versions it has of them. */
  known(
    account: string,
    files: readonly { readonly name: string; readonly size: number }[],
  ): object {
    const known = [...this.finished(account)]
      .filter(([, { name, size }]) =>
        files.some((file) => file.name === name && file.size === size),
      )
      .map(([text, { name, size, clientUploadId }]) => ({
        name,
        size,
        sha256: createHash('sha256').update(text).digest('hex'),
        client_upload_id: clientUploadId,
      }));
    const previous = files.flatMap(({ name }) => {
      const id = earlierVersionOf(name);
      return id === null ? [] : [{ name, id, match: 'name', project: null }];
    });
    return { known, previous };
  }

  /** Whether an upload of the account with this client_upload_id has begun. */
  hasBegun(account: string, clientUploadId: string): boolean {
    return [...this.uploadsOf(account).values()].some(
      (upload) => upload.clientUploadId === clientUploadId,
    );
  }

  /** The uploads of an account, by URL. */
  uploadsOf(account: string): Map<string, HeldUpload> {
    const uploads = this.accounts.get(account) ?? new Map<string, HeldUpload>();
    this.accounts.set(account, uploads);
    return uploads;
  }
}

type Headers = Readonly<Record<string, string>>;

function answer(status: number, headers: Headers = {}): { status: number; headers: Headers } {
  return { status, headers: { 'Tus-Resumable': '1.0.0', ...headers } };
}
