import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database, Queryable } from '../../../service/kernel/database/database.js';
import { approveDevice } from '../support/browser-client.js';
import {
  CLIENT_ID,
  DEVICE_GRANT,
  listUploads,
  postForm,
  refresh,
  startDevice,
  tokensOf,
  type Answer,
} from '../support/oauth-client.js';
import { DESKTOP_ID, DESKTOP_REDIRECT, makePkce, obtainCode } from '../support/code-flow.js';
import { openReadyDatabase } from '../support/database-templates.js';
import { startTestService, type TestService } from '../support/running-service.js';

const MINUTE = 60_000;

describe('undelivered tokens', () => {
  let service: TestService;
  let clock = Date.now();
  /** While it is set, no statement is answered before it resolves. */
  let held: Promise<void> | undefined;
  /** How many statements and transactions have not ended. */
  let underWay = 0;

  beforeAll(async () => {
    const inner = await openReadyDatabase();
    const counted = async <T>(work: Promise<T>): Promise<T> => {
      underWay += 1;
      return work.finally(() => {
        underWay -= 1;
      });
    };
    const holding = (to: Queryable): Queryable => ({
      query: (sql, params) =>
        counted(
          (async () => {
            const rows = await to.query<never>(sql, params);
            await held;
            return rows;
          })(),
        ),
    });
    const database: Database = {
      ...inner,
      ...holding(inner),
      transaction: (work, options) =>
        counted(
          inner.transaction(
            (transaction) =>
              work({ ...holding(transaction), execute: (script) => transaction.execute(script) }),
            options,
          ),
        ),
    };
    service = await startTestService({ database, now: () => new Date(clock) });
  });
  afterAll(() => service.close());
  beforeEach(() => {
    clock += 24 * 60 * MINUTE;
  });

  type Form = Readonly<Record<string, string>>;
  const send = (form: Form): Promise<Answer> =>
    postForm(`${service.baseUrl}/api/oauth/token`, form);

  const refreshForm = async (): Promise<Form> => ({
    client_id: CLIENT_ID,
    grant_type: 'refresh_token',
    refresh_token: (await service.connect()).refreshToken,
  });
  const deviceForm = async (): Promise<Form> => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, service.demo);
    return { client_id: CLIENT_ID, grant_type: DEVICE_GRANT, device_code: deviceCode };
  };
  const codeForm = async (): Promise<Form> => {
    const pkce = makePkce();
    return {
      client_id: DESKTOP_ID,
      grant_type: 'authorization_code',
      redirect_uri: DESKTOP_REDIRECT,
      code: await obtainCode(service.baseUrl, service.demo, pkce),
      code_verifier: pkce.verifier,
    };
  };

  /**
   * Sends a request and leaves before the service can answer. Resolves when the service has lost the client.
   * @returns a function that lets the database answer, and resolves when the work is done.
   */
  async function sendAndLeave(form: Form): Promise<() => Promise<void>> {
    let release = (): void => undefined;
    held = new Promise((resolve) => {
      release = resolve;
    });
    const leaving = new AbortController();
    const lines = service.logLines.length;
    const sent = fetch(`${service.baseUrl}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
      signal: leaving.signal,
    }).catch(() => undefined);
    while (underWay === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    leaving.abort();
    await sent;
    while (!service.logLines.slice(lines).some(({ status }) => status === 499)) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return async () => {
      held = undefined;
      release();
      for (let quiet = 0; quiet < 10; quiet = underWay === 0 ? quiet + 1 : 0) {
        await new Promise(setImmediate);
      }
    };
  }

  it.each([
    ['a refresh', refreshForm],
    ['a device code', deviceForm],
    ['an authorization code', codeForm],
  ])('are returned once to a repeated request: %s', async (_name, formOf) => {
    const form = await formOf();
    const goOn = await sendAndLeave(form);
    // It waits for the first one, which is still being worked on.
    const repeat = send(form);
    await goOn();

    const answer = await repeat;

    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { accessToken, refreshToken } = tokensOf(answer);
    expect((await listUploads(service.baseUrl, accessToken)).status).toBe(200);
    const stolen = await send(form);
    expect([stolen.status, stolen.body['error']]).toEqual([400, 'invalid_grant']);
    expect((await listUploads(service.baseUrl, accessToken)).status).toBe(401);
    expect((await refresh(service.baseUrl, refreshToken)).status).toBe(400);
  });

  it('are returned while they are kept, with the remaining lifetime', async () => {
    const form = await refreshForm();
    await (
      await sendAndLeave(form)
    )();
    clock += 15 * MINUTE;

    const { status, body } = await send(form);

    expect([status, body['expires_in']]).toEqual([200, 3600 - 15 * 60]);
  });

  it.each<[string, Form, number]>([
    ['after a quarter of an hour', {}, 15 * MINUTE + 1],
    ['to another request', { scope: 'uploads:write' }, 0],
  ])('are not returned %s', async (_name, changes, later) => {
    const form = await refreshForm();
    await (
      await sendAndLeave(form)
    )();
    clock += later;

    const { status, body } = await send({ ...form, ...changes });

    expect([status, body['error']]).toEqual([400, 'invalid_grant']);
  });
});
