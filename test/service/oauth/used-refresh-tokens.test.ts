import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { sha256 } from '../../../service/kernel/hash.js';
import { listUploads, refresh, revoke, tokensOf, type Tokens } from '../support/oauth-client.js';
import { useService } from '../support/use-service.js';

describe('used refresh tokens', () => {
  const service = useService();

  const attempt = (): string => randomBytes(32).toString('base64url');
  const works = async ({ accessToken }: Tokens): Promise<boolean> =>
    (await listUploads(service.baseUrl, accessToken)).status === 200;

  /** Refreshes so often, and gives the last answer. */
  async function refreshed(first: Tokens, times: number): Promise<Tokens> {
    let tokens = first;
    for (let time = 0; time < times; time += 1) {
      const answer = await refresh(service.baseUrl, tokens.refreshToken, {
        refresh_attempt: attempt(),
      });
      tokens = tokensOf(answer);
    }
    return tokens;
  }

  async function rowsBeside({ refreshToken }: Tokens, kind: string): Promise<number> {
    const rows = await service.database.query(
      `SELECT 1 FROM oidc_records WHERE kind = $2 AND grant_id = (
         SELECT grant_id FROM oidc_records WHERE kind = 'RefreshToken' AND id = $1)`,
      [sha256(refreshToken), kind],
    );
    return rows.length;
  }

  it('have one row per connection for any number of refreshes; expired access tokens have none', async () => {
    const last = await refreshed(await service.connect(), 12);
    expect(await rowsBeside(last, 'RefreshToken')).toBe(2);

    await service.database.query(`UPDATE oidc_records SET expires_at = now() - interval '1 second'
                                   WHERE kind = 'AccessToken'`);
    const next = await refreshed(last, 1);
    expect(await rowsBeside(next, 'AccessToken')).toBe(1);
    expect(await works(next)).toBe(true);
  });

  it('end the grant also when their rows are gone', async () => {
    const first = await service.connect();
    const last = await refreshed(first, 3);
    expect(
      await service.database.query('SELECT 1 FROM oidc_records WHERE id = $1', [
        sha256(first.refreshToken),
      ]),
    ).toEqual([]);

    const reuse = await refresh(service.baseUrl, first.refreshToken, {
      refresh_attempt: attempt(),
    });

    expect([reuse.status, reuse.body['error']]).toEqual([400, 'invalid_grant']);
    expect(await works(last)).toBe(false);
    expect((await refresh(service.baseUrl, last.refreshToken)).status).toBe(400);
  });

  it('can end the grant by a revocation when their rows are gone', async () => {
    const first = await service.connect();
    const last = await refreshed(first, 3);

    expect((await revoke(service.baseUrl, first.refreshToken)).status).toBe(200);

    expect(await works(last)).toBe(false);
  });

  it('are followed by one that a revocation ends at once, with nothing stored for it', async () => {
    // Refreshed several times, so that the service has not read the last one from the database.
    const last = await refreshed(await service.connect(), 3);
    const [, grantId = ''] = last.refreshToken.split('.');
    expect((await revoke(service.baseUrl, last.accessToken)).status).toBe(200);

    const answer = await refresh(service.baseUrl, last.refreshToken, {
      refresh_attempt: attempt(),
    });

    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_grant']);
    expect(
      await service.database.query('SELECT kind FROM oidc_records WHERE grant_id = $1 OR id = $1', [
        grantId,
      ]),
    ).toEqual([]);
  });

  it('end the grant when one that was just issued is used twice at the same time', async () => {
    const { refreshToken } = await refreshed(await service.connect(), 3);

    const answers = await Promise.all(
      [1, 2, 3].map(() => refresh(service.baseUrl, refreshToken, { refresh_attempt: attempt() })),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const winner = answers.find(({ status }) => status === 200);
    expect(winner && (await works(tokensOf(winner)))).toBe(false);
  });

  it('end nothing for a client that has only the grant id', async () => {
    const last = await refreshed(await service.connect(), 2);
    const [secret = '', grantId = '', proof = ''] = last.refreshToken.split('.');
    const forged = [
      `${attempt()}.${grantId}.${proof}`,
      `${secret}.${grantId}.`,
      `${secret}.${grantId}`,
      `${secret}.${grantId}.${'A'.repeat(proof.length)}`,
    ];

    for (const token of forged) {
      expect((await refresh(service.baseUrl, token)).status).toBe(400);
      await revoke(service.baseUrl, token);
    }

    expect(await works(last)).toBe(true);
  });
});
