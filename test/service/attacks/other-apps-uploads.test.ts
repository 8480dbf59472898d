import { beforeAll, describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { removeMember, setMember } from '../../../service/identity/accounts/accounts.js';
import { TestBrowser } from '../support/browser-client.js';
import { listUploads } from '../support/oauth-client.js';
import { authorizePath, DESKTOP_ID, makePkce } from '../support/code-flow.js';
import { addUser, addWorkspace, elementText, openSettings } from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';
import {
  create,
  head,
  locationOf,
  offsetOf,
  patch,
  photo,
  terminate,
} from '../support/tus-client.js';
import { connectApp } from './raw.js';

describe('an app and the uploads of other apps of the same user', () => {
  let workspace: string;
  let user: TestUser;
  /** The plugin, and two other apps with the user's consent. */
  let plugin: string;
  let writer: string;
  let reader: string;

  const service = useService();
  beforeAll(async () => {
    workspace = await addWorkspace(service, 'North Studio');
    user = await addUser(service, { [workspace]: 'member' });
    plugin = await connectApp(service.baseUrl, user);
    writer = await connectApp(service.baseUrl, user, { clientId: DESKTOP_ID });
    reader = await connectApp(service.baseUrl, user, {
      clientId: DESKTOP_ID,
      scope: 'uploads:write uploads:read',
    });
  });
  beforeAll(async () => {
    await upload(plugin, 'of the plugin');
    await upload(writer, 'of the desktop app');
  });

  const names = async (token: string): Promise<unknown[]> => {
    const { body } = await listUploads(service.baseUrl, token);
    return (body['uploads'] as { name: string }[]).map(({ name }) => name);
  };
  const upload = async (token: string, filename: string): Promise<void> => {
    const answer = await create(service.baseUrl, token, {
      length: 3,
      metadata: { filename },
      body: photo(3),
    });
    expect(answer.status).toBe(201);
  };
  const makePersonalToken = async (scope: string): Promise<string> => {
    const browser = await openSettings(service, user, '/settings/developer/tokens/new');
    const page = await browser.submit('Create token', { name: 'a script', scope, days: '7' });
    return elementText(page, 'secret');
  };

  it('has no access to its own uploads in another workspace', async () => {
    const creation = { length: 10, metadata: { client_upload_id: 'one-id-in-two-workspaces' } };
    const url = locationOf(service.baseUrl, await create(service.baseUrl, plugin, creation));
    await patch(url, plugin, 0, photo(4));
    const other = await addWorkspace(service, 'South Studio');
    await setMember(service.database, other, user.accountId, 'member');
    const move = async (workspaceId: string): Promise<void> => {
      await service.database.query('UPDATE uploads SET workspace_id = $1 WHERE id = $2', [
        workspaceId,
        path.basename(url),
      ]);
    };
    await move(other);
    expect((await head(url, plugin)).status).toBe(404);
    expect((await patch(url, plugin, 4, photo(6, 2))).status).toBe(404);
    expect((await terminate(url, plugin)).status).toBe(404);
    const here = await create(service.baseUrl, plugin, creation);
    expect(locationOf(service.baseUrl, here)).not.toBe(url);
    expect((await terminate(locationOf(service.baseUrl, here), plugin)).status).toBe(204);
    await removeMember(service.database, other, user.accountId);
    await move(workspace);
    expect(await offsetOf(url, plugin)).toBe(4);
  });

  // @threat R9
  it('sees, continues and removes only its own uploads with uploads:write', async () => {
    const creation = { length: 10, metadata: { client_upload_id: 'one-id-in-two-apps' } };
    const url = locationOf(service.baseUrl, await create(service.baseUrl, plugin, creation));
    await patch(url, plugin, 0, photo(4));

    expect(await names(plugin)).toEqual(['of the plugin']);
    expect(await names(writer)).toEqual(['of the desktop app']);
    for (const token of [writer, reader]) {
      expect((await head(url, token)).status).toBe(404);
      expect((await patch(url, token, 4, photo(6, 2))).status).toBe(404);
      expect((await terminate(url, token)).status).toBe(404);
    }
    expect(await offsetOf(url, plugin)).toBe(4);
    const other = await create(service.baseUrl, writer, creation);
    expect(other.status).toBe(201);
    expect(locationOf(service.baseUrl, other)).not.toBe(url);
    expect(await offsetOf(locationOf(service.baseUrl, other), writer)).toBe(0);
    // Each of the two still finds its own again.
    for (const [token, expected] of [
      [plugin, url],
      [writer, locationOf(service.baseUrl, other)],
    ] as const) {
      const again = await create(service.baseUrl, token, creation);
      expect(locationOf(service.baseUrl, again)).toBe(expected);
    }
  });

  it('lists all uploads with uploads:read', async () => {
    expect(await names(reader)).toEqual(
      expect.arrayContaining(['of the plugin', 'of the desktop app']),
    );
  });

  it('sees only uploads of personal tokens with a personal access token', async () => {
    const script = await makePersonalToken('uploads:write');
    const second = await makePersonalToken('uploads:write');
    const all = await makePersonalToken('uploads:read');
    await upload(script, 'of a script');

    expect(await names(script)).toEqual(['of a script']);
    expect(await names(second)).toEqual(['of a script']);
    expect(await names(all)).toEqual(
      expect.arrayContaining(['of the plugin', 'of the desktop app', 'of a script']),
    );
    expect(await names(plugin)).not.toContain('of a script');
  });

  it('has the rights that the consent page shows', async () => {
    const browser = new TestBrowser(service.baseUrl);
    await browser.open(authorizePath(makePkce(), { scope: 'uploads:write uploads:read' }));
    const { username, password } = user;
    const { text } = await browser.submit('Sign in', { username, password });

    expect(text).toContain('manage its own uploads');
    expect(text).toContain('See the list of files you uploaded to the workspace with any app');
  });
});
