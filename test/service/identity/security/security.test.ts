import { beforeEach, describe, expect, it } from '@jest/globals';
import { WorkspaceClients } from '../../../../service/oauth/clients/workspace-clients.js';
import {
  codeSignInPolicies,
  setCodeSignIn,
} from '../../../../service/identity/access/code-sign-in.js';
import { approveDevice, TestBrowser } from '../../support/browser-client.js';
import { poll, postForm, startDevice } from '../../support/oauth-client.js';
import {
  addUser,
  addWorkspace,
  connectAs,
  openSettings,
  type TestUser,
} from '../../support/users.js';
import { useService } from '../../support/use-service.js';

const PAGE = '/settings/security';

describe('the page about security', () => {
  const service = useService();
  let north: string;
  let south: string;
  let owner: TestUser;

  beforeEach(async () => {
    north = await addWorkspace(service, 'North Studio');
    south = await addWorkspace(service, 'South Studio');
    owner = await addUser(service, { [north]: 'owner' });
  });

  const policyOf = async (workspaceId: string): Promise<unknown> =>
    (await codeSignInPolicies(service.database, [workspaceId])).get(workspaceId);
  const changes = async (): Promise<unknown[]> =>
    (
      await service.database.query<{ about: unknown }>(
        `SELECT about FROM audit_events WHERE action = 'policy_changed' AND workspace_id = $1`,
        [north],
      )
    ).map(({ about }) => about);

  // @threat C15
  it('explains each rule, saves the chosen one, and records the change once', async () => {
    const browser = await openSettings(service, owner, PAGE);
    expect(browser.page.text).toContain('Workspace: North Studio');
    expect(browser.page.text).toContain('Same network only The app and the browser must be on');
    expect(browser.page.text).not.toContain('The operator of this service also requires');
    expect(browser.page.markup).toMatch(/value="standard"[^>]*\schecked/);

    const chosen = { sign_in: 'number', apps: 'official' };
    expect((await browser.submit('Save changes', chosen)).text).toContain('Changes saved');
    expect(browser.page.markup).toMatch(/value="number"[^>]*\schecked/);
    expect(browser.page.markup).toMatch(/value="official"[^>]*\schecked/);
    await browser.submit('Save changes', chosen);

    expect(await policyOf(north)).toEqual({ signIn: 'number', apps: 'official' });
    expect(await policyOf(south)).toEqual({ signIn: 'standard', apps: 'all' });
    expect(await changes()).toEqual([
      expect.objectContaining({ setting: 'code_sign_in', value: 'number, official apps' }),
    ]);
    expect(service.logLines).toContainEqual(
      expect.objectContaining({ action: 'policy_changed', by: owner.accountId, workspace: north }),
    );
  });

  it('is shown in the language of its reader', async () => {
    const browser = new TestBrowser(service.baseUrl);
    browser.reads('de');
    await browser.open(PAGE);
    const { username, password } = owner;
    await browser.submit('Anmelden', { username, password });

    expect(browser.page.text).toContain('Nur im selben Netzwerk App und Browser müssen');
  });

  it('ends codes that are allowed and not exchanged, and leaves connected apps', async () => {
    const token = await connectAs(service, owner);
    const { deviceCode, userCode } = await startDevice(service.baseUrl);
    const browser = new TestBrowser(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, owner, browser);

    await browser.open(PAGE);
    await browser.submit('Save changes', { sign_in: 'off', apps: 'all' });

    expect((await poll(service.baseUrl, deviceCode)).body).toMatchObject({
      error: 'invalid_grant',
    });
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${service.baseUrl}/api/v1/me`, { headers })).status).toBe(200);
  });

  it('is in the menu of owners only, for the workspaces that they own', async () => {
    const member = await addUser(service, { [north]: 'member' });
    const both = await addUser(service, { [north]: 'member', [south]: 'owner' });
    const account = '/settings/account';
    expect((await openSettings(service, member, account)).page.markup).not.toContain(PAGE);
    const browser = await openSettings(service, both, account);
    expect(browser.page.markup).toContain(`href="${PAGE}"`);

    const page = await browser.open(PAGE);

    expect(page.text).toContain('Workspace: South Studio');
    // The switch leads to a page that members have.
    expect(page.markup).toContain(`href="/settings/people?workspace=${north}"`);
    expect(page.markup).toContain(`href="${PAGE}?workspace=${south}"`);
  });

  it.each([
    ['a member', 'member', 'number', 403],
    ['an owner with an unknown rule', 'owner', 'always', 400],
  ] as const)('refuses %s and changes nothing', async (_who, role, signIn, status) => {
    const user = await addUser(service, { [north]: role, [south]: 'owner' });
    const browser = await openSettings(service, user, `${PAGE}?workspace=${south}`);

    const page = await browser.submit('Save changes', {
      ...{ workspace: north, sign_in: signIn, apps: 'all' },
    });

    expect(page.status).toBe(status);
    expect(await policyOf(north)).toEqual({ signIn: 'standard', apps: 'all' });
    expect((await browser.open(`${PAGE}?workspace=${north}`)).status).toBe(
      role === 'owner' ? 200 : 403,
    );
  });
});

describe('a service with stricter rules', () => {
  const service = useService({
    trustedProxies: 1,
    codeSignIn: { signIn: 'same-network', apps: 'official' },
  });

  it('is named as what refuses an app, also where the workspace would refuse it, too', async () => {
    const workspace = await addWorkspace(service, 'Careful studio');
    const user = await addUser(service, { [workspace]: 'owner' });
    await service.database.transaction((transaction) =>
      setCodeSignIn(transaction, workspace, { signIn: 'off', apps: 'all' }),
    );
    const from = { 'x-forwarded-for': '198.51.100.9' };
    const { body } = await startDevice(service.baseUrl, undefined, from);
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(String(body['verification_uri_complete']));
    await browser.submit('Continue');
    const { username, password } = user;

    const page = await browser.submit('Sign in', { username, password });

    expect([page.status, page.text]).toEqual([
      403,
      expect.stringContaining('This service allows this only if the app and this browser'),
    ]);
  });

  it('shows its rules to owners', async () => {
    const { page } = await openSettings(service, service.demo, PAGE);

    expect(page.text).toContain('also requires: Same network only.');
    expect(page.text).toContain('also requires: Only official apps of Creative Workspace.');
  });

  // @threat C15
  it('gives no codes to apps of workspaces', async () => {
    const clients = new WorkspaceClients(service.database, () => new Date());
    const entry = { name: 'Own app', redirectUris: [], scopes: ['uploads:write'] as const };
    const workspace = await addWorkspace(service, 'Studio');
    const { clientId } = await clients.create(workspace, false, entry, () => Promise.resolve());
    const { body } = await postForm(`${service.baseUrl}/api/oauth/device_authorization`, {
      client_id: clientId,
    });
    expect(body['error']).toBe('unauthorized_client');
  });
});
