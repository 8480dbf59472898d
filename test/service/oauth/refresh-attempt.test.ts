import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { testRuns } from '../../support/seeded-random.js';
import { listUploads, postForm, refresh, revoke, tokensOf } from '../support/oauth-client.js';
import type { Answer, Tokens } from '../support/oauth-client.js';
import { useService } from '../support/use-service.js';

const MINUTE = 60_000;
const REUSE = { error: 'invalid_grant' };

describe('a repeated refresh with the same attempt', () => {
  let clock = Date.parse('2026-03-01T12:00:00Z');
  let first: Tokens;
  const attempt = (): string => randomBytes(32).toString('base64url');

  const service = useService({ now: () => new Date(clock) });
  beforeEach(async () => {
    clock += 24 * 60 * MINUTE;
    first = await service.connect();
  });

  const send = (refreshToken: string, value: string): Promise<Answer> =>
    refresh(service.baseUrl, refreshToken, { refresh_attempt: value });
  const works = async ({ accessToken }: Tokens): Promise<boolean> =>
    (await listUploads(service.baseUrl, accessToken)).status === 200;
  const isAlive = async ({ refreshToken }: Tokens): Promise<boolean> =>
    (await send(refreshToken, attempt())).status === 200;

  it('returns the same refresh token and another access token', async () => {
    const value = attempt();
    const lost = tokensOf(await send(first.refreshToken, value));

    const again = await send(first.refreshToken, value);

    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ refresh_attempt_supported: true, token_type: 'Bearer' });
    const second = tokensOf(again);
    expect(second.refreshToken).toBe(lost.refreshToken);
    expect(second.accessToken).not.toBe(lost.accessToken);
    expect(await works(lost)).toBe(false);
    expect(await works(second)).toBe(true);
    expect(await isAlive(second)).toBe(true);
  });

  it('is announced in token responses and in the metadata', async () => {
    const metadata = await fetch(`${service.baseUrl}/.well-known/oauth-authorization-server`);

    expect(await metadata.json()).toMatchObject({ refresh_attempt_supported: true });
    expect((await send(first.refreshToken, attempt())).body).toMatchObject({
      refresh_attempt_supported: true,
    });
  });

  it('is refused once its tokens are in use; nothing ends within a minute', async () => {
    const value = attempt();
    const second = tokensOf(await send(first.refreshToken, value));
    await works(second);
    clock += MINUTE;

    const late = await send(first.refreshToken, value);

    expect(late.status).toBe(400);
    expect(late.body).toMatchObject(REUSE);
    expect(await works(second)).toBe(true);
    expect(await isAlive(second)).toBe(true);
  });

  it('ends the grant more than a minute after that use', async () => {
    const value = attempt();
    const second = tokensOf(await send(first.refreshToken, value));
    await works(second);
    clock += MINUTE + 1;

    expect((await send(first.refreshToken, value)).body).toMatchObject(REUSE);

    expect(await works(second)).toBe(false);
    expect(await isAlive(second)).toBe(false);
  });

  it('may come late while its tokens are unused', async () => {
    const value = attempt();
    await send(first.refreshToken, value);
    clock += 40 * 24 * 60 * MINUTE;

    expect((await send(first.refreshToken, value)).status).toBe(200);
  });

  it.each([
    ['another attempt', (): Readonly<Record<string, string>> => ({ refresh_attempt: attempt() })],
    ['none', () => ({})],
  ])('is reuse with %s, and ends the grant', async (_name, more) => {
    const second = tokensOf(await send(first.refreshToken, attempt()));

    const reuse = await refresh(service.baseUrl, first.refreshToken, more());

    expect(reuse.body).toMatchObject(REUSE);
    expect(await works(second)).toBe(false);
    expect(await isAlive(second)).toBe(false);
  });

  it('is reuse when the first use had no attempt', async () => {
    const second = tokensOf(await refresh(service.baseUrl, first.refreshToken));

    expect((await send(first.refreshToken, attempt())).body).toMatchObject(REUSE);
    expect(await works(second)).toBe(false);
  });

  it('is reuse with an older ancestor, even by its own attempt', async () => {
    const value = attempt();
    const second = tokensOf(await send(first.refreshToken, value));
    const third = tokensOf(await send(second.refreshToken, attempt()));

    expect((await send(first.refreshToken, value)).body).toMatchObject(REUSE);

    expect(await works(third)).toBe(false);
    expect(await isAlive(third)).toBe(false);
  });

  it('is refused for another client and ends nothing', async () => {
    const value = attempt();
    await send(first.refreshToken, value);

    const other = await postForm(`${service.baseUrl}/api/oauth/token`, {
      client_id: 'creative-workspace-desktop',
      grant_type: 'refresh_token',
      refresh_token: first.refreshToken,
      refresh_attempt: value,
    });

    expect(other.status).toBeGreaterThanOrEqual(400);
    expect((await send(first.refreshToken, value)).status).toBe(200);
  });

  it('changes nothing when the retry itself is refused', async () => {
    const value = attempt();
    const second = tokensOf(await send(first.refreshToken, value));

    const refused = await refresh(service.baseUrl, first.refreshToken, {
      refresh_attempt: value,
      scope: 'uploads:write uploads:read',
    });

    expect(refused.body).toMatchObject({ error: 'invalid_scope' });
    expect(await works(second)).toBe(true);
  });

  it.each([
    ['is empty', ['']],
    ['is too short', ['A'.repeat(42)]],
    ['is too long', ['A'.repeat(44)]],
    ['has other characters', ['+'.repeat(43)]],
    ['has bits beyond 32 bytes', [`${'A'.repeat(42)}B`]],
    ['is there twice', ['A'.repeat(43), 'A'.repeat(43)]],
  ])('does not use the refresh token when the attempt %s', async (_name, values) => {
    const form = new URLSearchParams({
      client_id: 'creative-workspace-plugin',
      grant_type: 'refresh_token',
      refresh_token: first.refreshToken,
    });
    for (const value of values) form.append('refresh_attempt', value);

    const answer = await fetch(`${service.baseUrl}/api/oauth/token`, {
      method: 'POST',
      body: form,
    });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
    expect(await isAlive(first)).toBe(true);
  });

  it('may be repeated twenty times in a quarter of an hour', async () => {
    const value = attempt();
    for (let retry = 0; retry <= 20; retry += 1) {
      expect((await send(first.refreshToken, value)).status).toBe(200);
    }

    const refused = await send(first.refreshToken, value);

    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ error: 'temporarily_unavailable' });
    expect(refused.headers.get('retry-after')).toBe('900');
    clock += 15 * MINUTE;
    expect((await send(first.refreshToken, value)).status).toBe(200);
  });

  it('may be repeated again when a clock that was ahead is put right', async () => {
    const value = attempt();
    clock += 120 * MINUTE;
    while ((await send(first.refreshToken, value)).status === 200);
    clock -= 120 * MINUTE;
    expect((await send(first.refreshToken, value)).status).toBe(200);
  });

  it('is limited per quarter of an hour from the first repeat on', async () => {
    const value = attempt();
    const repeats = async (): Promise<number> => {
      let answered = 0;
      while ((await send(first.refreshToken, value)).status === 200) answered += 1;
      return answered;
    };
    await send(first.refreshToken, value);
    expect((await send(first.refreshToken, value)).status).toBe(200);
    clock += 5 * MINUTE;
    expect(await repeats()).toBe(19);
    const refused = await send(first.refreshToken, value);
    expect(refused.headers.get('retry-after')).toBe('600');
    clock += 10 * MINUTE - 1;
    expect((await send(first.refreshToken, value)).headers.get('retry-after')).toBe('1');
    clock += 1;
    expect(await repeats()).toBe(20);
  });

  it('returns the same refresh token to five concurrent repeats, and one valid access token', async () => {
    const value = attempt();

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send(first.refreshToken, value)),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const given = answers.map(tokensOf);
    expect(new Set(given.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    const working = await Promise.all(given.map(works));
    expect(working.filter(Boolean)).toHaveLength(1);
    expect(await isAlive(given[0] ?? first)).toBe(true);
  });

  // @threat R1
  it('treats five concurrent uses with different attempts as theft', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send(first.refreshToken, attempt())),
    );

    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const answer of answers.filter(({ status }) => status === 200)) {
      expect(await works(tokensOf(answer))).toBe(false);
      expect(await isAlive(tokensOf(answer))).toBe(false);
    }
  });

  it('has one outcome when the first use and the repeat are concurrent', async () => {
    let current = first;
    for (let round = 0; round < testRuns(5); round += 1) {
      const value = attempt();
      const second = tokensOf(await send(current.refreshToken, value));

      const [used, retry] = await Promise.all([works(second), send(current.refreshToken, value)]);

      // Either the access token was used, and the retry came too late, or the retry ended it.
      expect([used, retry.status]).toEqual(used ? [true, 400] : [false, 200]);
      current = used ? second : tokensOf(retry);
    }
  });

  it('can be revoked with the old refresh token', async () => {
    const second = tokensOf(await send(first.refreshToken, attempt()));

    await revoke(service.baseUrl, first.refreshToken);

    expect(await works(second)).toBe(false);
  });

  it('stores no attempt and no token in plain text', async () => {
    const value = attempt();
    const second = tokensOf(await send(first.refreshToken, value));
    await send(first.refreshToken, value);

    const rows = await service.database.query('SELECT * FROM oidc_records');

    const stored = JSON.stringify(rows);
    expect(rows.length).toBeGreaterThan(3);
    for (const secret of [value, first.refreshToken, second.refreshToken, second.accessToken]) {
      expect(stored).not.toContain(secret);
    }
    expect(JSON.stringify(service.logLines)).not.toContain(value);
  });
});
