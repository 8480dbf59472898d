import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { TestBrowser } from '../support/browser-client.js';
import { allowRequest, DESKTOP_ID, DESKTOP_REDIRECT } from '../support/code-flow.js';
import { addUser, addWorkspace, openSettings, registerApplication } from '../support/users.js';
import type { TestUser } from '../support/users.js';
import { useService } from '../support/use-service.js';

/**
 * A Python that has Authlib and requests. Jest takes this file only with one (jest.config.js);
 * `npm run test:all -- postgres` installs them where it may.
 */
const PYTHON = process.env['TEST_AUTHLIB_PYTHON'] ?? '';
const WEB_REDIRECT = 'https://print-shop.example/callback';

/** A client that was not written in JavaScript, unchanged, against the service. */
describe('Authlib (Python)', () => {
  let owner: TestUser;
  let server: { clientId: string; secret: string };

  const service = useService();
  beforeAll(async () => {
    const workspaceId = await addWorkspace(service, 'North Studio');
    owner = await addUser(service, { [workspaceId]: 'owner' });
    server = await registerApplication(await openSettings(service, owner), workspaceId, {
      kind: 'confidential',
      redirectUris: WEB_REDIRECT,
    });
  });

  const allow = (address: string): Promise<URL> => {
    const { pathname, search } = new URL(address);
    return allowRequest(new TestBrowser(service.baseUrl), pathname + search, owner);
  };

  it.each([
    ['a public client', () => [DESKTOP_ID, DESKTOP_REDIRECT, ''] as const],
    ['a confidential client', () => [server.clientId, WEB_REDIRECT, server.secret] as const],
  ])('signs in by code and PKCE, refreshes and revokes as %s', async (_name, make) => {
    const child = spawn(
      PYTHON,
      [path.join(import.meta.dirname, 'authlib_client.py'), service.baseUrl, ...make()],
      {
        stdio: ['pipe', 'pipe', 'pipe'],
        env: { ...process.env, AUTHLIB_INSECURE_TRANSPORT: '1' },
      },
    );
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const steps: unknown[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const step = JSON.parse(line) as { authorize?: string };
      if (step.authorize === undefined) steps.push(step);
      else child.stdin.end(`${(await allow(step.authorize)).href}\n`);
    }

    expect({ steps, errors }).toEqual({
      steps: [
        { token_type: 'Bearer', prefix: 'svc_at_' },
        { uploads: 200 },
        { rotated: true },
        { uploads: 200 },
        { revoked: 200 },
        { uploads: 401 },
      ],
      errors: '',
    });
  });
});
