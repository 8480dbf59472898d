import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import path from 'node:path';
import { removeMember } from '../../../service/identity/accounts/accounts.js';
import { BearerCheck } from '../../../service/oauth/tokens/bearer.js';
import { CLIENT_ID, listUploads, postForm } from '../support/oauth-client.js';
import { addUser, addWorkspace, elementText, openSettings } from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';
import { beginPatch, create, locationOf, offsetOf, photo } from '../support/tus-client.js';
import { answerOf, connectApp, until } from './raw.js';
import type { RawAnswer } from './raw.js';

const BYTES = photo(1_000_000, 1);

describe('a PATCH whose permission ends', () => {
  let workspaceId: string;

  const service = useService({
    uploads: { recheckSeconds: 1 },
    uploadIdleSeconds: 4,
  });
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
  });

  interface Sending {
    readonly url: string;
    readonly answer: Promise<RawAnswer | undefined>;
    readonly state: { status: number | undefined };
  }

  /** Begins to send a photo, a kilobyte at a time and without end. */
  const send = async (token: string): Promise<Sending> => {
    const created = await create(service.baseUrl, token, { length: BYTES.length });
    const url = locationOf(service.baseUrl, created);
    const request = await beginPatch(url, token, BYTES.length, BYTES.subarray(0, 10_000));
    const state: Sending['state'] = { status: undefined };
    const answer = answerOf(request)
      .then((given) => {
        state.status = given.status;
        return given;
      })
      .catch(() => undefined);
    let sent = 10_000;
    const timer = setInterval(() => {
      request.write(BYTES.subarray(sent, sent + 1000));
      sent += 1000;
    }, 20);
    stops.push(() => {
      clearInterval(timer);
      request.destroy();
    });
    await until(async () => (await service.stored.arrived(path.basename(url))) >= 10_000);
    return { url, answer, state };
  };

  const expectCut = async (sending: Sending, other: string): Promise<void> => {
    const answer = await sending.answer;
    expect(answer?.status).toBe(401);
    expect(answer?.headers['www-authenticate']).toContain('error="invalid_token"');
    expect(JSON.parse(answer?.text ?? '')).toMatchObject({ error: 'invalid_token' });
    // Received bytes stay for the same app with a new token.
    const offset = await offsetOf(sending.url, other);
    expect(offset).toBeGreaterThanOrEqual(10_000);
    expect(offset).toBeLessThan(BYTES.length);
  };

  const connect = async (user: TestUser): Promise<string> => connectApp(service.baseUrl, user);

  it('ends a PATCH with 401 when the token is revoked', async () => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    const token = await connect(user);
    const sending = await send(token);

    const form = { client_id: CLIENT_ID, token };
    expect((await postForm(`${service.baseUrl}/api/oauth/revoke`, form)).status).toBe(200);

    await expectCut(sending, await connect(user));
  });

  // @threat R10
  it('ends a PATCH with 401 when the user disconnects the app', async () => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    const sending = await send(await connect(user));

    const browser = await openSettings(service, user, '/settings/apps');
    await browser.submit('Disconnect');

    await expectCut(sending, await connect(user));
  });

  it('ends a PATCH with 401 when the user leaves the workspace', async () => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    const sending = await send(await connect(user));

    await removeMember(service.database, workspaceId, user.accountId);

    expect((await sending.answer)?.status).toBe(401);
  });

  it('ends a PATCH with 401 when a personal access token is revoked', async () => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    const browser = await openSettings(service, user, '/settings/developer/tokens/new');
    const entry = { name: 'a script', scope: 'uploads:write', days: '7' };
    const page = await browser.submit('Create token', entry);
    const sending = await send(elementText(page, 'secret'));

    await browser.open('/settings/developer');
    await browser.submit('Revoke');

    expect((await sending.answer)?.status).toBe(401);
  });

  it('ends a PATCH with 401 when the owner of a personal access token leaves the workspace', async () => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    const browser = await openSettings(service, user, '/settings/developer/tokens/new');
    const entry = { name: 'a script', scope: 'uploads:write', days: '7' };
    const page = await browser.submit('Create token', entry);
    const sending = await send(elementText(page, 'secret'));

    await removeMember(service.database, workspaceId, user.accountId);

    expect((await sending.answer)?.status).toBe(401);
  });

  /** Counts how often the service checks the permission of an upload of this user. */
  const countChecks = ({ accountId }: TestUser): (() => number) => {
    const { mock } = jest.spyOn(BearerCheck.prototype, 'isStillAuthorized');
    return () => mock.calls.filter(([caller]) => caller.accountId === accountId).length;
  };

  it('continues a PATCH when its token expires; the next request needs a new one', async () => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    const checks = countChecks(user);
    const token = await connect(user);
    const sending = await send(token);

    await service.database.query(
      `UPDATE oidc_records SET payload = jsonb_set(payload, '{exp}', '1')
        WHERE kind = 'AccessToken' AND payload ->> 'accountId' = $1`,
      [user.accountId],
    );
    // Not by HEAD, which would end the PATCH.
    expect((await listUploads(service.baseUrl, token)).status).toBe(401);
    const id = path.basename(sending.url);
    const before = await service.stored.arrived(id);
    const checked = checks();
    await until(() => checks() >= checked + 2);

    await until(async () => (await service.stored.arrived(id)) > before);
    expect(sending.state.status).toBeUndefined();
  });

  it('stops checking the permission after the response', async () => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    const checks = countChecks(user);
    const body = BYTES.slice(0, 10);
    const created = await create(service.baseUrl, await connect(user), { length: 10, body });
    expect(created.status).toBe(201);
    const before = checks();
    await new Promise((resolve) => setTimeout(resolve, 1300));
    expect(checks()).toBe(before);
  });

  it('ends a silent PATCH with 408 and keeps the received bytes', async () => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    const token = await connect(user);
    const created = await create(service.baseUrl, token, { length: BYTES.length });
    const url = locationOf(service.baseUrl, created);

    const request = await beginPatch(url, token, BYTES.length, BYTES.subarray(0, 10_000));
    const answer = await answerOf(request);
    request.destroy();

    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'request_timeout' });
    expect(await offsetOf(url, await connect(user))).toBe(10_000);
  });
});
