import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose';
import Provider from 'oidc-provider';

/** What the provider states about its users, by subject. */
export type CompanyUsers = Record<
  string,
  { email: string; email_verified?: boolean | string | undefined; name?: string }
>;

/** How a provider differs from one that answers by the book. */
export interface Behaviour {
  /** Added to the claims of the ID token, by its time of issue in seconds. Needs `alg`. */
  readonly idToken?: (issuedAt: number) => JWTPayload;
  /** The algorithm of its key; its key has no id. */
  readonly alg?: 'ES256' | 'PS256';
  /** Changes of its discovery document; undefined removes an entry. */
  readonly document?: Record<string, unknown>;
  /** The answer of its userinfo endpoint instead of the claims. */
  readonly userinfo?: { readonly status: number; readonly type: string; readonly body: string };
  /** Whether it takes the Basic header as it is, without decoding. */
  readonly readsPlainBasic?: boolean;
}

/** The OpenID provider of a company: another server, whose user is signed in by `subject`. */
export interface CompanyProvider {
  readonly issuer: string;
  /** Change them to add users. */
  readonly users: CompanyUsers;
  /** Who is signed in there; undefined for somebody who refuses. */
  subject: string | undefined;
  behaviour: Behaviour;
  /** Follows a browser that was sent there; returns the address to which it is sent back. */
  visit(url: string): Promise<string>;
  close(): Promise<void>;
}

/** The words with which it refuses. */
export const REFUSAL = 'AADSTS50105: the user is not assigned';

export const COMPANY_CLIENT = { client_id: 'workspace', client_secret: 'secret-_.~of the client' };

/** Starts the provider of a company. Its pages answer at once for `subject`. */
export async function startCompanyProvider(path = ''): Promise<CompanyProvider> {
  // It recommends changing nearly every default, once each.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  jest.spyOn(console, 'info').mockImplementation(() => undefined);
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const issuer = origin + path;
  const users: CompanyUsers = {};
  const state: { subject: string | undefined; behaviour: Behaviour } = {
    subject: undefined,
    behaviour: {},
  };
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
  differ(provider, () => state.behaviour);
  const handle = provider.callback();
  const interact = async (
    request: Parameters<typeof handle>[0],
    response: Parameters<typeof handle>[1],
  ): Promise<void> => {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    const { subject } = state;
    const options = { mergeWithLastSubmission: true };
    if (subject === undefined) {
      await provider.interactionFinished(
        request,
        response,
        { error: 'access_denied', error_description: REFUSAL },
        options,
      );
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
    request.url = request.url?.replace(path.replace(/\/$/, '') + '/.well-known', '/.well-known');
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
    get behaviour() {
      return state.behaviour;
    },
    set behaviour(value) {
      state.behaviour = value;
    },
    visit: async (url) => {
      const cookies = new Map<string, string>();
      let next = url;
      for (let steps = 0; steps < 10 && next.startsWith(origin); steps += 1) {
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
        next = new URL(location, origin).href;
      }
      return next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Makes the answers of a provider those of a {@link Behaviour}. */
function differ(provider: Provider, behaviourNow: () => Behaviour): void {
  const keys = new Map<string, ReturnType<typeof generateKeyPair>>();
  const keyOf = (alg: string): ReturnType<typeof generateKeyPair> => {
    const pair = keys.get(alg) ?? generateKeyPair(alg, { extractable: true });
    keys.set(alg, pair);
    return pair;
  };
  provider.use(async (ctx, next) => {
    const { idToken, alg, document, userinfo, readsPlainBasic } = behaviourNow();
    const basic = /^Basic (.*)$/.exec(ctx.get('authorization'))?.[1];
    if (readsPlainBasic === true && basic !== undefined) {
      const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString().split(/:(.*)/s);
      const encoded = [id, secret].map((one) => encodeURIComponent(one)).join(':');
      ctx.req.headers.authorization = `Basic ${Buffer.from(encoded).toString('base64')}`;
    }
    await next();
    const body = (ctx.body ?? {}) as Record<string, unknown>;
    if (ctx.path.includes('/.well-known/')) {
      const algorithms = alg && { id_token_signing_alg_values_supported: [alg] };
      ctx.body = { ...body, ...algorithms, ...document };
    } else if (ctx.path === '/jwks' && alg !== undefined) {
      ctx.body = { keys: [await exportJWK((await keyOf(alg)).publicKey)] };
    } else if (ctx.path === '/me' && userinfo !== undefined) {
      Object.assign(ctx, userinfo);
    } else if (ctx.path === '/token' && typeof body['id_token'] === 'string' && alg !== undefined) {
      const [, payload = ''] = body['id_token'].split('.');
      const stated = JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload;
      const claims = { ...stated, ...idToken?.(Number(stated.iat)) };
      const token = new SignJWT(claims).setProtectedHeader({ alg });
      ctx.body = { ...body, id_token: await token.sign((await keyOf(alg)).privateKey) };
    }
  });
}
