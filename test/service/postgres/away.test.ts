import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLIENT_ID, listUploads } from '../client.js';
import type { Tokens } from '../client.js';
import { startServiceProcess } from '../service-process.js';
import type { ServiceProcess } from '../service-process.js';
import { photo, sha256 } from '../tus.js';
import { findPostgres, startPostgres } from './server.js';
import type { TemporaryPostgres } from './server.js';

/** A request that takes longer hangs, in milliseconds: much longer than the service lets anything wait. */
const HANGS_MS = 90_000;

/** What clients saw besides what they wanted. */
const wrong: string[] = [];
let away = 0;

/**
 * Asks until there is another answer than 503. Anything else that is not expected is noted: an answer of another kind,
 * a 503 that does not say when to come again, a request that hangs.
 */
async function ask(expected: readonly number[], url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const what = `${init.method ?? 'GET'} ${url}`;
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(HANGS_MS) }).catch(
      (error: unknown) => {
        wrong.push(`${what}: ${String(error)} ${String((error as Error).cause)}`);
        return undefined;
      },
    );
    if (answer === undefined) continue;
    if (answer.status !== 503) {
      if (!expected.includes(answer.status)) {
        wrong.push(`${what}: ${answer.status} ${await answer.text()}`);
        throw new Error(wrong.at(-1));
      }
      return answer;
    }
    away += 1;
    if (!/^\d+$/.test(answer.headers.get('retry-after') ?? ''))
      wrong.push(`${what}: no Retry-After`);
    await answer.arrayBuffer();
    await sleep(100);
  }
}

/** A session that refreshes under names of its own, as the plugin does. */
class Session {
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

  /** Sends a photo as a careful client does; resolves when the service has said that all of it is there. */
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
}

describe('PostgreSQL that goes away under load and comes back', () => {
  let server: TemporaryPostgres;
  let folder: string;
  const processes: ServiceProcess[] = [];

  beforeAll(async () => {
    const programs = await findPostgres();
    if (programs === undefined) throw new Error('PostgreSQL is not installed');
    server = await startPostgres(programs);
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-away-'));
    const options = { databaseUrl: server.url, dataDir: folder };
    const first = await startServiceProcess(options);
    processes.push(first, await startServiceProcess({ ...options, baseUrl: first.ownUrl }));
  });
  afterAll(async () => {
    for (const one of processes) await one.kill();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is 503 with Retry-After meanwhile, and costs no session, no finished upload and no process', async () => {
    const [one, two] = processes;
    if (one === undefined || two === undefined) throw new Error('there are no processes');
    const sessions: Session[] = [];
    for (const at of [one, two, one, two])
      sessions.push(new Session(at.ownUrl, await at.connect()));
    const finished = new Map<string, string>();
    let over = false;
    const work = sessions.map(async (session, index) => {
      for (let round = 0; !over; round += 1) {
        const name = `photo-of-session-${index}-${round}`;
        const bytes = photo(50_000, index * 1000 + round);
        await session.upload(name, bytes);
        finished.set(name, sha256(bytes));
        await session.refresh();
        await ask([200], `${session.baseUrl}/api/v1/me`, { headers: session.headers() });
      }
    });
    const ended = Promise.all(work);

    for (const mode of ['fast', 'immediate', 'fast', 'immediate'] as const) {
      await Promise.race([sleep(700), ended]);
      await server.halt(mode);
      await sleep(500);
      await server.resume();
      for (const { ownUrl } of processes)
        while ((await fetch(`${ownUrl}/healthz`)).status !== 200) await sleep(50);
    }
    await Promise.race([sleep(700), ended]);
    over = true;
    await ended;

    expect(wrong).toEqual([]);
    // It was away while they asked.
    expect(away).toBeGreaterThan(0);
    expect(finished.size).toBeGreaterThan(4);
    for (const [index, session] of sessions.entries()) {
      expect(session.refreshes).toBeGreaterThan(0);
      await session.refresh();
      const { status, body } = await listUploads(session.baseUrl, session.tokens.accessToken);
      expect(status).toBe(200);
      const listed = new Map(
        (body['uploads'] as { name: string; sha256: string }[]).map(({ name, sha256: hash }) => [
          name,
          hash,
        ]),
      );
      for (const [name, hash] of finished)
        if (name.startsWith(`photo-of-session-${index}-`))
          expect([name, listed.get(name)]).toEqual([name, hash]);
    }
  });
});
