import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CompanyProvider } from './company-provider.js';

/** The parts of a provider that a sign-in needs. */
export type AssertingProvider = Omit<CompanyProvider, 'behaviour'>;

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/**
 * The OpenID provider of an attacker: it signs in at once, as any subject, with nothing of a real provider behind it. It
 * runs in the environment that test files share, where the library of {@link startCompanyProvider} does not.
 */
export async function startAssertingProvider(): Promise<AssertingProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const provider: Omit<AssertingProvider, 'close' | 'visit'> = {
    ...{ issuer, users: {}, subject: undefined },
  };
  /** The nonce and the client of each code. */
  const codes = new Map<string, { nonce: string | undefined; audience: string | undefined }>();
  const answers: Readonly<Record<string, (form: URLSearchParams) => unknown>> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    }),
    '/jwks': () => ({
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
    }),
    '/token': (form) => {
      const { nonce, audience } = codes.get(form.get('code') ?? '') ?? {};
      const seconds = Math.floor(Date.now() / 1000);
      const { subject = '', users } = provider;
      const claims = { iss: issuer, sub: subject, aud: audience, nonce, ...users[subject] };
      return {
        ...{ access_token: 'any', token_type: 'Bearer', expires_in: 300 },
        id_token: sign({ ...claims, iat: seconds, exp: seconds + 300 }),
      };
    },
  };
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname } = new URL(request.url ?? '', issuer);
      const answer = answers[pathname]?.(new URLSearchParams(Buffer.concat(chunks).toString()));
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    });
  });
  return Object.assign(provider, {
    visit: (address: string) => {
      const { searchParams: asked } = new URL(address);
      const code = `code-${codes.size}`;
      codes.set(code, {
        nonce: asked.get('nonce') ?? undefined,
        audience: asked.get('client_id') ?? undefined,
      });
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString();
      return Promise.resolve(back.href);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function sign(claims: object): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const content = `${encode({ alg: 'RS256', kid: 'one', typ: 'JWT' })}.${encode(claims)}`;
  const signature = createSign('RSA-SHA256').update(content).sign(privateKey, 'base64url');
  return `${content}.${signature}`;
}
