import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import Provider from 'oidc-provider';

/** What the provider states about its users, by subject. */
export type CompanyUsers = Record<
  string,
  { email: string; email_verified?: boolean; name?: string }
>;

/** The OpenID provider of a company: another server, whose user is signed in by `subject`. */
export interface CompanyProvider {
  readonly issuer: string;
  /** Change them to add users. */
  readonly users: CompanyUsers;
  /** Who is signed in there; undefined for somebody who refuses. */
  subject: string | undefined;
  /** Follows a browser that was sent there; returns the address to which it is sent back. */
  visit(url: string): Promise<string>;
  close(): Promise<void>;
}

export const COMPANY_CLIENT = { client_id: 'workspace', client_secret: 'secret of the client' };

/** Starts the provider of a company. Its pages answer at once for `subject`. */
export async function startCompanyProvider(): Promise<CompanyProvider> {
  // It recommends changing nearly every default, once each.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  jest.spyOn(console, 'info').mockImplementation(() => undefined);
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const users: CompanyUsers = {};
  const state: { subject: string | undefined } = { subject: undefined };
  const provider = new Provider(issuer, {
    clients: [{ ...COMPANY_CLIENT, redirect_uris: ['https://nobody.example/'] }],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...users[id] }),
    }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
  });
  // Each workspace of the tests has its own.
  provider.Client.prototype.redirectUriAllowed = () => true;
  const handle = provider.callback();
  const interact = async (
    request: Parameters<typeof handle>[0],
    response: Parameters<typeof handle>[1],
  ): Promise<void> => {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    const { subject } = state;
    const options = { mergeWithLastSubmission: true };
    if (subject === undefined) {
      await provider.interactionFinished(request, response, { error: 'access_denied' }, options);
      return;
    }
    if (prompt.name === 'login') {
      const login = { login: { accountId: subject } };
      await provider.interactionFinished(request, response, login, options);
      return;
    }
    const grant = new provider.Grant({
      accountId: session?.accountId ?? subject,
      clientId: String(params['client_id']),
    });
    grant.addOIDCScope('openid email profile');
    const consent = { consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, consent, options);
  };
  server.on('request', (request, response) => {
    void (request.url?.startsWith('/interaction/') === true
      ? interact(request, response)
      : handle(request, response));
  });
  return {
    issuer,
    users,
    get subject() {
      return state.subject;
    },
    set subject(value) {
      state.subject = value;
    },
    visit: async (url) => {
      const cookies = new Map<string, string>();
      let next = url;
      for (let steps = 0; steps < 10 && next.startsWith(issuer); steps += 1) {
        const answer = await fetch(next, {
          redirect: 'manual',
          headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        });
        for (const line of answer.headers.getSetCookie()) {
          const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s);
          cookies.set(name, value);
        }
        const location = answer.headers.get('location');
        if (location === null) throw new Error(`no way on: ${await answer.text()}`);
        next = new URL(location, issuer).href;
      }
      return next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
