import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestBrowser } from '../../support/browser-client.js';
import { connectAs, elementText, openSettings, send, type TestUser } from '../../support/users.js';
import { addWorkspaceFixture } from '../../support/workspace-fixture.js';
import { useService } from '../../support/use-service.js';
import { photo } from '../../support/tus-client.js';
import { startScriptedServer, type ScriptedServer } from '../../../support/http-server.js';

const NEW = '/settings/developer/webhooks/new';

describe('the webhooks of a workspace', () => {
  let receiver: ScriptedServer;
  let url: string;
  let workspaceId: string;
  let owner: TestUser;
  let member: TestUser;
  let browser: TestBrowser;

  const service = useService({ allowsPrivateAddresses: true });
  beforeAll(async () => {
    receiver = await startScriptedServer();
    receiver.otherwise({ status: 202 });
    url = `${receiver.origin}/secret-path`;
    ({ workspaceId, owner, member } = await addWorkspaceFixture(service));
    browser = await openSettings(service, owner);
  });
  afterAll(() => receiver.close());

  const received = (): unknown[] =>
    receiver.requests.map(({ body }) => JSON.parse(body.toString()) as unknown);

  const create = async (): Promise<{ id: string; secret: string }> => {
    await browser.open(`${NEW}?workspace=${workspaceId}`);
    const made = await browser.submit('Create webhook', { url, events: 'upload' });
    const [, id = ''] = /webhooks\/(wh_[\w-]+)/.exec(made.markup) ?? [];
    return { id, secret: elementText(made, 'secret') };
  };
  const page = (id: string): string => `/settings/developer/webhooks/${id}`;

  it('get finished uploads, and show the delivery', async () => {
    const { id, secret } = await create();
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    const upload = await send(
      service,
      await connectAs(service, member),
      'Harbour.jpg',
      photo(64, 1),
    );
    await receiver.arrived(1);
    expect(received()[0]).toEqual({
      type: 'upload.finished',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        ...{ id: upload, photo: upload, workspace_id: workspaceId, project: null },
        ...{ name: 'Harbour.jpg', type: 'text/html', size: 64 },
        by: { id: member.accountId, username: member.username, name: expect.any(String) },
        client: 'creative-workspace-plugin',
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    // The log is written after the receiver has answered.
    while (!(await browser.open(page(id))).text.includes('Delivered')) await sleep(20);
    expect(browser.page.text).toContain('upload.finished Delivered (HTTP 202)');
    expect(browser.page.markup).not.toContain(secret);
    const stored = await service.database.query('SELECT encode(secret, $1) AS s FROM webhooks', [
      'escape',
    ]);
    expect(JSON.stringify(stored)).not.toContain(secret.slice(6));

    await browser.submit('Send again');
    await receiver.arrived(2);
    expect(received()[1]).toEqual(received()[0]);
  });

  it('can be changed, get a new secret and be deleted; the audit has their host only', async () => {
    const { id, secret } = await create();
    await browser.open(page(id));
    expect((await browser.submit('Save changes', { url: 'ftp://example.com/' })).status).toBe(400);
    await browser.open(page(id));
    const saved = await browser.submit('Save changes', { url: 'https://example.com/hook' });
    expect(saved.text).toContain('Changes saved.');
    const rotated = await browser.submit('Create new secret', { confirm: 'yes' });
    expect(elementText(rotated, 'secret')).not.toBe(secret);
    await browser.open(page(id));
    await browser.submit('Delete webhook', { confirm: 'yes' });
    expect((await browser.open(page(id))).status).toBe(404);
    const events = await service.database.query<{ action: string; about: { name: string } }>(
      `SELECT action, about FROM audit_events WHERE action LIKE 'webhook_%' ORDER BY id DESC LIMIT 4`,
    );
    expect(events.map(({ action, about }) => [action, about.name])).toEqual([
      ['webhook_deleted', 'example.com'],
      ['webhook_changed', 'example.com'],
      ['webhook_changed', 'example.com'],
      ['webhook_made', new URL(url).host],
    ]);
  });

  it('returns 404 to members who are no owner', async () => {
    const { id } = await create();
    const theirs = await openSettings(service, member);
    expect((await theirs.open(page(id))).status).toBe(404);
    expect((await theirs.open(`${NEW}?workspace=${workspaceId}`)).status).toBe(404);
  });

  it('shows whether a webhook was turned off, and turns it on again', async () => {
    const { id } = await create();
    await service.database.query('UPDATE webhooks SET disabled_at = now() WHERE id = $1', [id]);
    expect((await browser.open(page(id))).text).toContain('No delivery succeeded for three days');
    expect((await browser.submit('Turn on')).text).toContain('Active');
  });
});
