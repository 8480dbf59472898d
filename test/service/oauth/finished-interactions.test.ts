import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Provider } from 'oidc-provider';
import type { Database } from '../../../service/kernel/database/database.js';
import { CsrfTokens } from '../../../service/identity/csrf/csrf.js';
import { FinishedInteractions } from '../../../service/oauth/interactions/finished-interactions.js';
import { sha256 } from '../../../service/kernel/hash.js';
import { openMigratedDatabase } from '../support/database-templates.js';

const NOW = new Date('2026-01-01T12:00:00Z');
const after = (ms: number): Date => new Date(NOW.getTime() + ms);
/** Used for device codes only; these are pages of the browser flow. */
let provider: Provider;

interface Row {
  /** Null while the interaction is open. */
  readonly consumedAt?: Date | null;
  readonly expiresAt?: Date;
}

describe('the outcome of a finished interaction', () => {
  let database: Database;
  let finished: FinishedInteractions;

  beforeAll(async () => {
    database = await openMigratedDatabase();
    finished = new FinishedInteractions(database, new CsrfTokens('key'), () => NOW);
    // It warns of the defaults that nothing here uses.
    const warnings = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    provider = new Provider('https://service.example');
    warnings.mockRestore();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.query('DELETE FROM oidc_records');
  });

  async function store(
    payload: Readonly<Record<string, unknown>>,
    { consumedAt = NOW, expiresAt = after(1000) }: Row = {},
  ): Promise<void> {
    await database.query(
      `INSERT INTO oidc_records (kind, id, payload, consumed_at, expires_at)
       VALUES ('Interaction', $1, $2, $3, $4)`,
      [
        sha256('page'),
        JSON.stringify({ params: { client_id: 'app' }, prompt: { name: 'consent' }, ...payload }),
        consumedAt,
        expiresAt,
      ],
    );
  }
  const ALLOWED = { session: { accountId: 'anna' }, result: { consent: { workspaceId: 'w' } } };
  const isTold = async (): Promise<boolean> =>
    (await finished.answer(provider, 'page')) !== undefined;
  const isToldTo = async (accountId: string | undefined): Promise<boolean> =>
    (await finished.answerTo(provider, 'page', accountId)) !== undefined;

  it('returns the outcome to the browser with its cookie', async () => {
    await store(ALLOWED);
    expect(await isTold()).toBe(true);
    expect(await finished.answer(provider, 'another page')).toBeUndefined();
  });

  it.each<[string, Readonly<Record<string, unknown>>, Row]>([
    ['that goes on', ALLOWED, { consumedAt: null }],
    ['that has expired', ALLOWED, { expiresAt: NOW }],
    ['that nobody answered', { session: { accountId: 'anna' } }, {}],
  ])('is not returned for one %s', async (_which, payload, row) => {
    await store(payload, row);
    expect(await isTold()).toBe(false);
    expect(await isToldTo('anna')).toBe(false);
  });

  it('returns the outcome by address only to the user of the page', async () => {
    await store(ALLOWED);
    expect(await isToldTo('anna')).toBe(true);
    expect(await isToldTo('ben')).toBe(false);
    expect(await isToldTo(undefined)).toBe(false);
  });

  it('returns the outcome by address to the user who signed in on the page', async () => {
    await store({ prompt: { name: 'login' }, result: { login: { accountId: 'anna' } } });
    expect(await isToldTo('anna')).toBe(true);
    expect(await isToldTo('ben')).toBe(false);
    expect(await isToldTo(undefined)).toBe(false);
  });

  it('returns no outcome by address when no user was signed in', async () => {
    await store({ prompt: { name: 'login' }, result: { error: 'access_denied' } });
    expect(await isToldTo(undefined)).toBe(false);
    expect(await isTold()).toBe(true);
  });
});
