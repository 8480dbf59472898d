import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { nameProblem } from '../accounts/names.js';
import { ServiceStartError, systemErrorCode } from '../errors.js';
import { inEnglish } from '../pages/speech.js';
import { AUTHORIZATION_CODE, DEVICE_CODE, REFRESH_TOKEN } from './grant-types.js';
import { loopbackRedirectProblem } from './redirect-uris.js';
import { ALL_SCOPES } from './scopes.js';

const REGISTRY = fileURLToPath(new URL('../platform-clients.json', import.meta.url));

const MAX_NAME_LENGTH = 80;

const GRANT_TYPES: readonly string[] = [AUTHORIZATION_CODE, DEVICE_CODE, REFRESH_TOKEN];

/** A client of the platform tier, in the metadata names of RFC 7591 §2. All of them are public. */
export interface PlatformClient {
  readonly client_id: string;
  /** The name a person reads on the consent page. */
  readonly client_name: string;
  readonly application_type: 'native';
  readonly token_endpoint_auth_method: 'none';
  readonly grant_types: string[];
  readonly redirect_uris: string[];
  /** Scopes the client may ask for, space-separated. */
  readonly scope: string;
}

/**
 * Reads the operators' registry and checks every entry.
 * @param file a file of theirs; without it `service/platform-clients.json`, which has the official apps.
 * @throws {ServiceStartError} `client_registry_wrong`, saying what is wrong in which entry.
 */
export async function loadPlatformClients(file = REGISTRY): Promise<PlatformClient[]> {
  try {
    return checkPlatformClients(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    const reason =
      systemErrorCode(cause) || (cause instanceof Error ? cause.message : 'unknown reason');
    throw new ServiceStartError(
      'client_registry_wrong',
      `Cannot use the client registry ${file}: ${reason.replace(/\s+/g, ' ')}`,
      { cause },
    );
  }
}

/**
 * Checks a parsed client registry.
 * @throws {Error} naming the entry and the member that is wrong; unknown members are wrong too, so
 * that a misspelt or a secret one cannot slip in.
 */
export function checkPlatformClients(registry: unknown): PlatformClient[] {
  if (!Array.isArray(registry)) throw new Error('The client registry must be a list.');
  const clients = registry.map((entry: unknown, index) => checkClient(entry, index));
  const ids = clients.map((client) => client.client_id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new Error(`The client registry names ${twice} twice.`);
  return clients;
}

function checkClient(entry: unknown, index: number): PlatformClient {
  const fail = (member: string, must: string): Error =>
    new Error(`Client registry, entry ${index + 1}: ${member} must be ${must}.`);
  if (typeof entry !== 'object' || entry === null) throw fail('the entry', 'an object');
  const members = new Map<string, unknown>(Object.entries(entry));
  const take = (member: string): unknown => {
    const value = members.get(member);
    members.delete(member);
    return value;
  };
  const text = (member: string, pattern: RegExp, must: string): string => {
    const value = take(member);
    if (typeof value !== 'string' || !pattern.test(value)) throw fail(member, must);
    return value;
  };
  const subset = (member: string, value: unknown, allowed: readonly string[]): string[] => {
    if (!Array.isArray(value) || !value.every((item) => allowed.includes(String(item)))) {
      throw fail(member, `among ${allowed.join(', ') || 'nothing: it must be empty'}`);
    }
    return value.map(String);
  };

  const redirects = (value: unknown): string[] => {
    if (!Array.isArray(value)) throw fail('redirect_uris', 'a list');
    const uris = value.map(String);
    for (const uri of uris) {
      const problem = loopbackRedirectProblem(uri);
      if (problem !== undefined)
        throw new Error(`Client registry, entry ${index + 1}: ${inEnglish(problem)}`);
    }
    return uris;
  };

  const name = text('client_name', /./u, 'a name');
  const ofName = nameProblem(name, MAX_NAME_LENGTH);
  if (ofName !== undefined) throw fail('client_name', `a name to read: it ${inEnglish(ofName)}`);
  const client: PlatformClient = {
    client_id: text('client_id', /^[a-z0-9-]{3,64}$/, '3 to 64 lower-case letters, digits, dashes'),
    client_name: name,
    application_type: literal('application_type', take('application_type'), 'native', fail),
    token_endpoint_auth_method: literal(
      'token_endpoint_auth_method',
      take('token_endpoint_auth_method'),
      'none',
      fail,
    ),
    grant_types: subset('grant_types', take('grant_types'), GRANT_TYPES),
    redirect_uris: redirects(take('redirect_uris')),
    scope: subset('scope', String(take('scope')).split(' '), ALL_SCOPES).join(' '),
  };
  const usesCode = client.grant_types.includes(AUTHORIZATION_CODE);
  if (usesCode !== client.redirect_uris.length > 0) {
    throw fail('redirect_uris', usesCode ? 'given for authorization_code' : 'empty');
  }
  const [unknown] = members.keys();
  if (unknown !== undefined) throw fail(unknown, 'left out: the registry knows no such member');
  return client;
}

function literal<T extends string>(
  member: string,
  value: unknown,
  expected: T,
  fail: (member: string, must: string) => Error,
): T {
  if (value !== expected) throw fail(member, `"${expected}"`);
  return expected;
}
