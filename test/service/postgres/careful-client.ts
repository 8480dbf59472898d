import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLIENT_ID, listUploads } from '../support/oauth-client.js';
import type { Tokens } from '../support/oauth-client.js';
import { photo, sha256 } from '../support/tus-client.js';

/** A request that takes longer hangs, in milliseconds: much longer than the service lets anything wait. */
const HANGS_MS = 90_000;

/** Unexpected responses of the clients; `away` counts 503s. */
export const seen = { wrong: [] as string[], away: 0 };

/**
 * Repeats a request until the response is not 503. Anything else that is not expected is noted: an answer of another kind,
 * a 503 that does not say when to come again, a request that hangs.
 */
async function ask(expected: readonly number[], url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const what = `${init.method ?? 'GET'} ${url}`;
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(HANGS_MS) }).catch(
      (error: unknown) => {
        seen.wrong.push(`${what}: ${String(error)} ${String((error as Error).cause)}`);
        return undefined;
      },
    );
    if (answer === undefined) continue;
    if (answer.status !== 503) {
      if (!expected.includes(answer.status)) {
        seen.wrong.push(`${what}: ${answer.status} ${await answer.text()}`);
        throw new Error(seen.wrong.at(-1));
      }
      return answer;
    }
    seen.away += 1;
    if (!/^\d+$/.test(answer.headers.get('retry-after') ?? ''))
      seen.wrong.push(`${what}: no Retry-After`);
    await answer.arrayBuffer();
    await sleep(100);
  }
}

/** A session that refreshes with its own `refresh_attempt`, like the plugin. */
export class Session {
  refreshes = 0;

  constructor(
    readonly baseUrl: string,
    public tokens: Tokens,
  ) {}

  async refresh(): Promise<void> {
    const answer = await ask([200], `${this.baseUrl}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: CLIENT_ID,
        refresh_token: this.tokens.refreshToken,
        refresh_attempt: randomBytes(32).toString('base64url'),
      }),
    });
    const body = (await answer.json()) as { access_token: string; refresh_token: string };
    this.tokens = { accessToken: body.access_token, refreshToken: body.refresh_token };
    this.refreshes += 1;
  }

  headers(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      'tus-resumable': '1.0.0',
      authorization: `Bearer ${this.tokens.accessToken}`,
      ...more,
    };
  }

  /** Sends a photo with retries; resolves when the service has confirmed all bytes. */
  async upload(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const id = Buffer.from(name).toString('base64');
    const created = await ask([201], `${this.baseUrl}/api/v1/uploads`, {
      method: 'POST',
      headers: this.headers({
        'upload-length': String(bytes.length),
        'upload-metadata': `client_upload_id ${id},filename ${id}`,
      }),
    });
    const url = new URL(created.headers.get('location') ?? '', this.baseUrl).href;
    let offset = 0;
    while (offset < bytes.length) {
      const half = Math.max(offset, bytes.length >> 1);
      const sent = await ask([204, 409], url, {
        method: 'PATCH',
        headers: this.headers({
          'content-type': 'application/offset+octet-stream',
          'upload-offset': String(offset),
        }),
        body: bytes.subarray(offset, offset < half ? half : bytes.length),
      });
      // After a 503 some bytes of the request before may have stayed.
      const told =
        sent.status === 204
          ? sent
          : await ask([200], url, { method: 'HEAD', headers: this.headers() });
      offset = Number(told.headers.get('upload-offset'));
    }
  }

  /** Sends photos and refreshes, in turn, until it is over. Returns the SHA-256 of the uploaded photos, by name. */
  async work(label: string, isOver: () => boolean): Promise<Map<string, string>> {
    const finished = new Map<string, string>();
    for (let round = 0; !isOver(); round += 1) {
      const name = `photo-of-session-${label}-${round}`;
      const bytes = photo(50_000, label.length * 1000 + round);
      await this.upload(name, bytes);
      finished.set(name, sha256(bytes));
      await this.refresh();
      await ask([200], `${this.baseUrl}/api/v1/me`, { headers: this.headers() });
    }
    return finished;
  }

  /** The photos that are missing or have other bytes. */
  async lost(finished: ReadonlyMap<string, string>): Promise<string[]> {
    const { status, body } = await listUploads(this.baseUrl, this.tokens.accessToken);
    if (status !== 200) return [`the list answers ${status}`];
    const uploads = body['uploads'] as { name: string; sha256: string }[];
    const listed = new Map(uploads.map(({ name, sha256: hash }) => [name, hash]));
    return [...finished].flatMap(([name, hash]) => (listed.get(name) === hash ? [] : [name]));
  }
}
