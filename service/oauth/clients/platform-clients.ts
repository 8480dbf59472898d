import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  array,
  check,
  forward,
  literal,
  optional,
  picklist,
  pipe,
  regex,
  safeParse,
  strictObject,
  string,
  type BaseIssue,
  type InferOutput,
} from 'valibot';
import { validateName, ALL_SCOPES } from '../../identity/index.js';
import { ServiceStartError, systemErrorCode } from '../../kernel/errors.js';
import type { Message } from '../../kernel/i18n/message.js';
import { formatEnglish } from '../../kernel/i18n/translator.js';
import { AUTHORIZATION_CODE, DEVICE_CODE, REFRESH_TOKEN } from '../tokens/grant-types.js';
import { loopbackRedirectProblem } from './redirect-uris.js';

const REGISTRY_FILE = fileURLToPath(new URL('./platform-clients.json', import.meta.url));

const MAX_NAME_LENGTH = 80;

/** The requirement for a member. It follows the words "must be". */
const ID_MUST = '3 to 64 lower-case letters, digits, dashes';
const SCOPE_MUST = `among ${ALL_SCOPES.join(', ')}`;
const GRANT_TYPES = [AUTHORIZATION_CODE, DEVICE_CODE, REFRESH_TOKEN] as const;
const GRANT_TYPES_MUST = `among ${GRANT_TYPES.join(', ')}`;

/** Unknown members are refused: one may be misspelt, or hold a secret. */
const CLIENT = pipe(
  strictObject(
    {
      client_id: pipe(string(ID_MUST), regex(/^[a-z0-9-]{3,64}$/, ID_MUST)),
      /** The name on the consent page. */
      client_name: pipe(
        string('a name'),
        check(
          (name) => validateName(name, MAX_NAME_LENGTH) === undefined,
          ({ input }) => `a name to read: it ${problemText(validateName(input, MAX_NAME_LENGTH))}`,
        ),
      ),
      application_type: literal('native', '"native"'),
      token_endpoint_auth_method: literal('none', '"none"'),
      grant_types: array(picklist(GRANT_TYPES, GRANT_TYPES_MUST), GRANT_TYPES_MUST),
      /** Whether the app lets its user choose the number that the browser shows (docs/oauth.md). */
      number_matching: optional(literal(true, 'true')),
      redirect_uris: array(
        pipe(
          string('a list of strings'),
          check(
            (uri) => loopbackRedirectProblem(uri) === undefined,
            ({ input }) => problemText(loopbackRedirectProblem(input)),
          ),
        ),
        'a list',
      ),
      /** Scopes the client may ask for, space-separated. */
      scope: pipe(
        string(SCOPE_MUST),
        check((scope) => scope.split(' ').every(isScope), SCOPE_MUST),
      ),
    },
    ({ expected, path }) => {
      if (path === undefined) {
        return 'an object';
      }
      return expected === 'never' ? 'omitted, because the registry has no such member' : 'given';
    },
  ),
  forward(
    check(
      (client) => usesCode(client) === client.redirect_uris.length > 0,
      ({ input }) => (usesCode(input) ? `given for ${AUTHORIZATION_CODE}` : 'empty'),
    ),
    ['redirect_uris'],
  ),
);

const REGISTRY = array(CLIENT, 'a list');

/**
 * A client of the platform tier, in the metadata names of
 * [RFC 7591 §2](https://www.rfc-editor.org/rfc/rfc7591#section-2). All of them are public.
 */
export type PlatformClient = Readonly<InferOutput<typeof CLIENT>>;

/**
 * Reads the operators' registry and checks every entry.
 * @param file the operator's file; without it `service/oauth/clients/platform-clients.json`, which has the official
 *   apps.
 * @throws {ServiceStartError} `client_registry_wrong`, naming the entry and the problem.
 */
export async function loadPlatformClients(file = REGISTRY_FILE): Promise<PlatformClient[]> {
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
 * @throws {Error} naming the entry and the member that is wrong or unknown.
 */
export function checkPlatformClients(registry: unknown): PlatformClient[] {
  const result = safeParse(REGISTRY, registry, { abortEarly: true });
  if (!result.success) {
    throw new Error(sentenceAbout(result.issues[0]));
  }
  const clients = result.output;
  const ids = clients.map((client) => client.client_id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) {
    throw new Error(`The client registry names ${twice} twice.`);
  }
  return clients;
}

function usesCode({ grant_types: types }: { readonly grant_types: readonly string[] }): boolean {
  return types.includes(AUTHORIZATION_CODE);
}

function isScope(scope: string): boolean {
  return ALL_SCOPES.some((known) => known === scope);
}

function problemText(problem: Message | undefined): string {
  return problem === undefined ? '' : formatEnglish(problem);
}

/** Names the invalid entry and member, and the requirement. */
function sentenceAbout({ path, message, type }: BaseIssue<unknown>): string {
  const [entry, member, item] = path ?? [];
  if (entry === undefined) {
    return `The client registry must be ${message}.`;
  }
  const place = `Client registry, entry ${Number(entry.key) + 1}:`;
  // The problem with a redirect URI is a complete sentence.
  if (item !== undefined && type === 'check') {
    return `${place} ${message}`;
  }
  return `${place} ${member === undefined ? 'the entry' : String(member.key)} must be ${message}.`;
}
