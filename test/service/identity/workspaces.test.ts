import { beforeAll, describe, expect, it } from '@jest/globals';
import { removeMember, setMember } from '../../../service/identity/accounts/accounts.js';
import { TestBrowser } from '../support/browser-client.js';
import type { SignIn } from '../support/browser-client.js';
import { listUploads, poll, startDevice, tokensOf } from '../support/oauth-client.js';
import { addUser, addWorkspace } from '../support/users.js';
import { useService } from '../support/use-service.js';
import { create, head, locationOf, photo } from '../support/tus-client.js';

describe('workspaces', () => {
  let workspaceId: string;
  let agency: string;

  const service = useService();
  beforeAll(async () => {
    workspaceId = await addWorkspace(service, 'North Studio');
    agency = await addWorkspace(service, 'South Agency');
  });

  const atConsent = async (user: SignIn): Promise<{ browser: TestBrowser; deviceCode: string }> => {
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(`/oauth/device?user_code=${userCode}`);
    await browser.submit('Continue');
    await browser.submit('Sign in', { username: user.username, password: user.password });
    return { browser, deviceCode };
  };
  const connectTo = async (user: SignIn, workspace?: string): Promise<string> => {
    const { browser, deviceCode } = await atConsent(user);
    await browser.submit('Allow', workspace === undefined ? {} : { workspace });
    return tokensOf(await poll(service.baseUrl, deviceCode)).accessToken;
  };
  const names = async (token: string): Promise<unknown[]> => {
    const { body } = await listUploads(service.baseUrl, token);
    return (body['uploads'] as { name: string }[]).map(({ name }) => name);
  };

  it('are chosen at the consent by a user with several, and bind the token', async () => {
    const user = await addUser(service, { [workspaceId]: 'owner', [agency]: 'member' });
    const inWorkspace = await connectTo(user, workspaceId);
    const inAgency = await connectTo(user, agency);
    const metadata = { filename: 'for-the-agency.jpg' };

    const created = await create(service.baseUrl, inAgency, {
      length: 10,
      body: photo(10),
      metadata,
    });

    expect(await names(inAgency)).toEqual(['for-the-agency.jpg']);
    expect(await names(inWorkspace)).toEqual([]);
    expect((await head(locationOf(service.baseUrl, created), inWorkspace)).status).toBe(404);
  });

  it("requires a choice among the user's own workspaces", async () => {
    const user = await addUser(service, { [workspaceId]: 'owner', [agency]: 'member' });
    const foreign = await addWorkspace(service, 'Foreign');
    const { browser, deviceCode } = await atConsent(user);
    expect(browser.page.text).toContain('North Studio');
    expect(browser.page.text).toContain('South Agency');
    expect(browser.page.text).not.toContain('Foreign');

    for (const workspace of ['', foreign]) {
      const page = await browser.submit('Allow', { workspace });
      expect(page.text).toContain('Choose the workspace');
    }

    const { body } = await poll(service.baseUrl, deviceCode);
    expect(body['error']).toBe('authorization_pending');
  });

  it('accepts Deny without a workspace', async () => {
    const user = await addUser(service, { [workspaceId]: 'member', [agency]: 'member' });
    const { browser, deviceCode } = await atConsent(user);

    expect((await browser.submit('Deny')).text).toContain('Not connected');

    expect((await poll(service.baseUrl, deviceCode)).body['error']).toBe('access_denied');
  });

  it('refuse tokens of a former member', async () => {
    const user = await addUser(service, { [workspaceId]: 'member' });
    const token = await connectTo(user);
    expect((await listUploads(service.baseUrl, token)).status).toBe(200);

    await removeMember(service.database, workspaceId, user.accountId);
    expect((await listUploads(service.baseUrl, token)).status).toBe(401);

    await setMember(service.database, workspaceId, user.accountId, 'member');
    expect((await listUploads(service.baseUrl, token)).status).toBe(200);
  });

  it('requires a workspace to connect an app', async () => {
    const { browser } = await atConsent(await addUser(service, {}));

    expect(browser.page.status).toBe(403);
    expect(browser.page.text).toContain('does not belong to a workspace');
  });
});
