import { randomUUID } from 'node:crypto';
import { createWorkspace, setMember } from '../../../service/identity/accounts/accounts.js';
import type { Role } from '../../../service/identity/accounts/accounts.js';
import { hashPassword } from '../../../service/kernel/password-hash.js';
import { approveDevice, TestBrowser } from './browser-client.js';
import type { Page, SignIn } from './browser-client.js';
import { poll, startDevice, tokensOf } from './oauth-client.js';
import { CHEAP } from './database-templates.js';
import type { TestService } from './running-service.js';
import { create, locationOf } from './tus-client.js';

/** A user of a test, with the account's id. */
export interface TestUser extends SignIn {
  readonly accountId: string;
}

let count = 0;

export async function addWorkspace(
  service: Pick<TestService, 'database'>,
  name: string,
): Promise<string> {
  return createWorkspace(service.database, name);
}

/**
 * Adds a user with these roles, by workspace id, and with a password that is cheap to check.
 * @param given display name and sign-in; generated when left out
 */
export async function addUser(
  service: Pick<TestService, 'database'>,
  roles: Readonly<Record<string, Role>>,
  given: Partial<SignIn & { readonly displayName: string }> = {},
): Promise<TestUser> {
  count += 1;
  const { displayName = `Person ${count}` } = given;
  const { username = `person-${count}`, password = `password of person ${count}` } = given;
  const signIn = { username, password };
  const accountId = randomUUID();
  await service.database.query(
    'INSERT INTO accounts (id, username, display_name, password_hash) VALUES ($1, $2, $3, $4)',
    [accountId, username, displayName, await hashPassword(password, CHEAP)],
  );
  for (const [workspaceId, role] of Object.entries(roles)) {
    await setMember(service.database, workspaceId, accountId, role);
  }
  return { ...signIn, accountId };
}

/** A browser in which this user is signed in to Settings, at this address. */
export async function openSettings(
  service: Pick<TestService, 'baseUrl'>,
  user: SignIn,
  path = '/settings/developer',
): Promise<TestBrowser> {
  const browser = new TestBrowser(service.baseUrl);
  await browser.open(path);
  const { username, password } = user;
  await browser.submit('Sign in', { username, password });
  return browser;
}

/** The text of the element with this id. */
export function elementText(page: Page, id: string): string {
  const [tag = '', text = ''] = new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(page.markup) ?? [];
  return /^[^>]*value="([^"]*)"/.exec(tag)?.[1] ?? text;
}

/** Registers an application by the pages, as an owner does; returns its id and its secret. */
export async function registerApplication(
  browser: TestBrowser,
  workspaceId: string,
  application: { kind: 'confidential' | 'public'; redirectUris: string; name?: string },
): Promise<{ clientId: string; secret: string; page: Page }> {
  await browser.open(`/settings/developer/applications/new?workspace=${workspaceId}`);
  const page = await browser.submit('Create application', {
    name: application.name ?? 'Print shop',
    kind: application.kind,
    redirect_uris: application.redirectUris,
    scope: 'uploads:write',
  });
  return { clientId: elementText(page, 'client_id'), secret: elementText(page, 'secret'), page };
}

/** Creates a personal access token on its page, for the workspace that the page offers first; returns the token. */
export async function createToken(
  service: Pick<TestService, 'baseUrl'>,
  user: SignIn,
  scope: string,
): Promise<string> {
  const browser = await openSettings(service, user, '/settings/developer/tokens/new');
  const page = await browser.submit('Create token', { name: 'Script', scope });
  const [token] = /svc_pat_[\w-]+/.exec(page.text) ?? [];
  if (token === undefined) throw new Error(`no token for ${scope}: ${page.text}`);
  return token;
}

/** Connects the plugin for a user with one workspace; returns its access token. */
export async function connectAs(
  service: Pick<TestService, 'baseUrl'>,
  user: SignIn,
  scope?: string,
): Promise<string> {
  const { deviceCode, userCode } = await startDevice(service.baseUrl, scope);
  await approveDevice(service.baseUrl, userCode, user);
  return tokensOf(await poll(service.baseUrl, deviceCode)).accessToken;
}

/**
 * Sends a whole file as the plugin does; returns its id.
 * @param metadata what `Upload-Metadata` has besides
 */
export async function send(
  service: Pick<TestService, 'baseUrl'>,
  token: string,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
  metadata: Readonly<Record<string, string>> = {},
): Promise<string> {
  const created = await create(service.baseUrl, token, {
    length: bytes.length,
    metadata: { filename: name, filetype: 'text/html', ...metadata },
    ...(bytes.length > 0 && { body: bytes }),
  });
  return locationOf(service.baseUrl, created).split('/').at(-1) ?? '';
}
