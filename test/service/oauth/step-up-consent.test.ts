import { beforeEach, describe, expect, it } from '@jest/globals';
import { approveDevice, TestBrowser } from '../support/browser-client.js';
import { startDevice } from '../support/oauth-client.js';
import { addUser, addWorkspace, type TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';

const UPLOAD = 'Upload files to your workspace';
const LINKS = 'Create, see and revoke your links';

describe('the consent page', () => {
  const service = useService();
  let north: string;
  let user: TestUser;

  beforeEach(async () => {
    north = await addWorkspace(service, 'North Studio');
    user = await addUser(service, { [north]: 'owner' });
  });

  /** The consent page for these scopes; the user is signed in. */
  const consentTo = async (scope: string, browser: TestBrowser): Promise<string> => {
    const { userCode } = await startDevice(service.baseUrl, scope);
    await browser.open(`/oauth/device?user_code=${userCode}`);
    await browser.submit('Continue');
    if (browser.page.form?.fields['password'] !== undefined) {
      const { username, password } = user;
      await browser.submit('Sign in', { username, password });
    }
    return browser.page.text;
  };

  // @threat P8
  it('marks the scopes that a connected app requests for the first time', async () => {
    const browser = new TestBrowser(service.baseUrl);
    const scope = 'uploads:write shares:write projects:write';
    expect(await consentTo(scope, browser)).not.toContain('New:');
    const { userCode } = await startDevice(service.baseUrl);
    await approveDevice(service.baseUrl, userCode, user);

    const text = await consentTo(scope, browser);

    expect(text).toContain(UPLOAD);
    expect(text).not.toContain(`New: ${UPLOAD}`);
    expect(text).toContain(`New: ${LINKS}`);
    expect(text).toContain('New: See the names of all projects');
    await browser.submit('Allow');
    expect(await consentTo(scope, browser)).not.toContain('New:');
  });

  it('marks a scope that one of several connected workspaces lacks', async () => {
    const south = await addWorkspace(service, 'South Studio');
    user = await addUser(service, { [north]: 'owner', [south]: 'owner' });
    const scope = 'uploads:write shares:write';
    const connect = async (workspace: string, granted: string): Promise<void> => {
      await service.database.query(
        `INSERT INTO consents (grant_id, account_id, workspace_id, client_id, scope, created_at)
         VALUES ($1, $2, $1, 'creative-workspace-plugin', $3, now())`,
        [workspace, user.accountId, granted],
      );
    };
    await connect(north, scope);
    expect(await consentTo(scope, new TestBrowser(service.baseUrl))).not.toContain('New:');

    await connect(south, 'uploads:write');

    expect(await consentTo(scope, new TestBrowser(service.baseUrl))).toContain(`New: ${LINKS}`);
  });
});
