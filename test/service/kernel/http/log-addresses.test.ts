import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { connectAs, openSettings, send } from '../../support/users.js';
import { shareAs } from '../../delivery/shares/sharing.js';
import { useService } from '../../support/use-service.js';
import { addWorkspaceFixture, type WorkspaceFixture } from '../../support/workspace-fixture.js';
import { photo } from '../../support/tus-client.js';
import { needsUser, SERVICE_ROUTES } from '../../support/service-routes.js';

/** The placeholder for an identifier in a URL, and for a secret in a query, a form or a header. */
const IDENTIFIER = 'svc_identifier_4711';
const SECRET = 'svc_secret_0815';

/**
 * What the log has of each address with an identifier that can be used without a sign-in or a token: `as it is` for one that opens
 * nothing by itself, else what is in its place. An address that is not here fails: decide whether a reader of the log could use its
 * identifier.
 */
const LOGGED: Readonly<Record<string, string>> = {
  '/oauth/device/:id': '/oauth/device/:uid',
  '/oauth/authorize/:id': '/oauth/authorize/:uid',
  '/oauth/interaction/:id': '/oauth/interaction/:uid',
  '/sign-in/company/:id': 'as it is',
  '/sign-in/company/:id/callback': 'as it is',
  // Its logo is on pages for everybody with a link.
  '/logos/:id': 'as it is',
  '/s/:id': '/s/:token',
  '/s/:id/answers': '/s/:token',
  '/s/:id/name': '/s/:token',
  '/s/:id/finish': '/s/:token',
  '/s/:id/replies': '/s/:token',
  '/s/:id/photo': '/s/:token',
  '/s/:id/page': '/s/:token',
  '/s/:id/frames': '/s/:token',
  '/s/:id/preview': '/s/:token',
  '/s/:id/thumbnail': '/s/:token',
  '/s/:id/file': '/s/:token',
  '/s/:id/play': '/s/:token',
  '/s/:id/zip': '/s/:token',
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Ways to write a path that lead nowhere, or to the same part of the service. */
const WRITTEN: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => `${path}/more`,
  (path) => `/${path}`,
  (path) => path.toUpperCase(),
  (path) => path.replace('_', '%5f'),
];

describe('the path in the log', () => {
  let fixture: WorkspaceFixture;
  const service = useService();
  beforeAll(async () => {
    fixture = await addWorkspaceFixture(service);
  });

  /** Sends a request with its target as it is written, and gives the line that the service logs about it. */
  const lineOf = async (
    target: string,
    method = 'GET',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<object | undefined> => {
    const { hostname, port } = new URL(service.baseUrl);
    const body = method === 'POST' ? `token=${SECRET}&password=${SECRET}` : '';
    const id = await new Promise<string>((resolve, reject) => {
      request(
        {
          hostname,
          port,
          path: target,
          method,
          agent: false,
          headers: {
            authorization: `Bearer ${SECRET}`,
            cookie: `cws_session=${SECRET}`,
            'content-type': 'application/x-www-form-urlencoded',
            'content-length': body.length,
            ...headers,
          },
        },
        (answer) => {
          answer.resume();
          answer.once('close', () => resolve(String(answer.headers['x-request-id'])));
        },
      )
        .on('error', reject)
        .end(body);
    });
    for (;;) {
      const line = service.logLines.find(({ requestId }) => requestId === id);
      if (line !== undefined) return line;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  const withIdentifier = SERVICE_ROUTES.filter(({ path }) => path.includes(':id'));

  it('has a rule for every path with an identifier that needs no sign-in', () => {
    const usable = withIdentifier.filter((route) => !needsUser(route)).map(({ path }) => path);
    expect(usable.sort()).toEqual(Object.keys(LOGGED).sort());
  });

  it.each(withIdentifier.map(({ path }) => path))('has %s without its secret', async (route) => {
    const path = route.replace(':id', IDENTIFIER);
    const rule = LOGGED[route] ?? 'as it is';
    const logged = rule === 'as it is' ? path : rule;
    for (const method of METHODS) {
      const line = await lineOf(`${path}?token=${SECRET}&code=${SECRET}`, method);
      expect(line).toMatchObject({ event: 'request', method, path: logged });
      expect(JSON.stringify(line)).not.toContain(SECRET);
    }
    for (const write of WRITTEN) {
      const text = JSON.stringify(await lineOf(write(path)));
      if (rule === 'as it is') expect(text).not.toContain(SECRET);
      // A differently encoded sign-in URL is 404.
      else if (route.startsWith('/s/') || write(path).startsWith(path))
        expect(text.toLowerCase()).not.toMatch(/identifier/);
    }
  });

  it.each(SERVICE_ROUTES.filter(({ path }) => !path.includes(':id')).map(({ path }) => path))(
    'contains no query, form, cookie or token of %s',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const line = await lineOf(
          `${path}?token=${SECRET}&code=${SECRET}&user_code=${SECRET}`,
          method,
        );
        expect(line).toMatchObject({ event: 'request', path });
        expect(JSON.stringify(line)).not.toContain(SECRET);
      }
    },
  );

  it('has no identifier of absolute-form targets or overridden methods', async () => {
    const { baseUrl } = service;
    const whole = await lineOf(`${baseUrl}/s/${IDENTIFIER}/file?photo=x`);
    expect(whole).toMatchObject({ path: '/s/:token' });
    const other = await lineOf(`/s/${IDENTIFIER}`, 'POST', { 'x-http-method-override': 'GET' });
    expect(other).toMatchObject({ path: '/s/:token' });
  });

  it('records a revoked link or invitation once', async () => {
    const { workspaceId: workspace, owner, member } = fixture;
    const id = await send(service, await connectAs(service, member), 'x.jpg', photo(10));
    await shareAs(service, member, { photo: id });
    const [link] = await service.database.query<{ id: string }>('SELECT id FROM shares');
    const links = await openSettings(service, member, `/shares/${link?.id ?? ''}/revoke`);
    const inviting = await openSettings(service, owner, '/settings/people/invitations/new');
    await inviting.submit('Create link', { workspace, role: 'member' });
    await inviting.open('/settings/people');
    const before = service.logLines.length;
    for (const browser of [links, inviting]) {
      const { page } = browser;
      // The button was pressed three times in a row.
      const tabs = [browser, browser.copy(), browser.copy()];
      await Promise.all(
        tabs.map((tab) => {
          tab.show(page);
          return tab.submit('Revoke');
        }),
      );
    }
    const audited = service.logLines.slice(before).flatMap(({ action }) => action ?? []);
    expect(audited).toEqual(['link_revoked', 'invitation_revoked']);
  });
});
