/** The authorization code grant with PKCE as a desktop app does it; for tests. */
import { createHash, randomBytes } from 'node:crypto';
import { TestBrowser } from './browser-client.js';
import type { SignIn } from './browser-client.js';
import { postForm } from './oauth-client.js';
import type { Answer } from './oauth-client.js';

export const DESKTOP_ID = 'creative-workspace-desktop';
/** The registered one has no port; an app listens on any free port (RFC 8252 §7.3). */
export const DESKTOP_REDIRECT = 'http://127.0.0.1:49152/callback';

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function makePkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The path and query of an authorization request; `undefined` leaves a parameter out. */
export function authorizePath(
  pkce: Pkce,
  changes: Readonly<Record<string, string | undefined>> = {},
): string {
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: DESKTOP_ID,
    redirect_uri: DESKTOP_REDIRECT,
    scope: 'uploads:write',
    state: 'some-state',
    code_challenge: pkce.challenge,
    code_challenge_method: 'S256',
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, value);
  }
  return `/oauth/authorize?${query.toString()}`;
}

/** Acts as the user: signs in if required, allows, and returns the redirect of the browser. */
export async function allowRequest(
  browser: TestBrowser,
  path: string,
  { username, password }: SignIn,
  choice: Readonly<Record<string, string>> = {},
): Promise<URL> {
  const page = await browser.open(path);
  if (page.form !== undefined && 'password' in page.form.fields) {
    await browser.submit('Sign in', { username, password });
  }
  return browser.leaving(browser.submit('Allow', choice));
}

/** A code for the desktop app, fresh from a new browser. */
export async function obtainCode(baseUrl: string, signIn: SignIn, pkce: Pkce): Promise<string> {
  const browser = new TestBrowser(baseUrl);
  const redirect = await allowRequest(browser, authorizePath(pkce), signIn);
  return redirect.searchParams.get('code') ?? '';
}

export function exchangeCode(
  baseUrl: string,
  code: string,
  verifier: string,
  changes: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return postForm(
    `${baseUrl}/api/oauth/token`,
    {
      grant_type: 'authorization_code',
      client_id: DESKTOP_ID,
      code,
      redirect_uri: DESKTOP_REDIRECT,
      code_verifier: verifier,
      ...changes,
    },
    headers,
  );
}

export function basic(clientId: string, secret: string): { authorization: string } {
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
