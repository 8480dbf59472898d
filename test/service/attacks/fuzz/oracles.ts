import { DESKTOP_REDIRECT } from '../../support/code-flow.js';
import type { FuzzRequest } from './fuzz-request.js';
import { fillIn } from './fuzz-request.js';
import { HEADER_MARK, MARKUP_MARK } from './marks.js';
import { APP_ORIGIN, VICTIM_LENGTHS } from './users-under-attack.js';
import type { Secret } from './secrets.js';
import type { Exchange, RawAnswer } from './raw-http.js';

/** The inputs of the checks besides the request and its response. */
export interface Knowledge {
  readonly values: Readonly<Record<string, string>>;
  readonly secrets: readonly Secret[];
}

/** Node sends these for requests that it cannot parse: no body, no id. */
const ANSWERED_BY_NODE: ReadonlySet<number> = new Set([400, 408, 413, 417, 431]);

/** Allowed server errors: a dependency is unavailable, or no space is left. */
const HONEST_SERVER_ERRORS: ReadonlySet<number> = new Set([503, 507]);

/** Internals in a response: stacks, files, statements. */
const INSIDES =
  /\n\s+at .+:\d+:\d+|node_modules|node:internal|file:\/\/\/|oidc_records|service_secrets|invalid byte sequence|syntax error at|duplicate key value|violates \w+ constraint|ENOENT|EEXIST|scrypt/;

/** Objects whose existence the attacker must not learn. */
const THEIRS = [
  ...['other.done', 'other.open', 'other.photo', 'other.second', 'other.trashed'],
  ...['other.share', 'other.invitation', 'other.mate'],
];

/** The problems of a response, one text each; empty for none. */
export function problemsOf(
  request: FuzzRequest,
  exchange: Exchange,
  mustBeAnswered: boolean,
  knowledge: Knowledge,
): string[] {
  if (exchange.problem !== undefined) return [`the answer is no HTTP: ${exchange.problem}`];
  const [answer, ...others] = exchange.answers;
  if (answer === undefined) {
    if (!mustBeAnswered) return [];
    return [exchange.ended === 'gave up' ? 'no answer in time' : `no answer: ${exchange.ended}`];
  }
  return [
    ...problemsOfAnswer(request, answer, knowledge),
    ...others.flatMap((other) =>
      other.status === 200 || other.status === 400 ? [] : [`the next request: ${other.status}`],
    ),
  ];
}

function problemsOfAnswer(request: FuzzRequest, answer: RawAnswer, knowledge: Knowledge): string[] {
  const { status, headers } = answer;
  const header = (name: string): string => headers.get(name)?.join(', ') ?? '';
  const isNodesOwn =
    ANSWERED_BY_NODE.has(status) && answer.body.length === 0 && !headers.has('x-request-id');
  const problems: string[] = [];
  if (status >= 500 && !HONEST_SERVER_ERRORS.has(status)) problems.push(`status ${status}`);
  if (!isNodesOwn && !/^[\w-]{8,}$/.test(header('x-request-id'))) {
    problems.push(`status ${status} without X-Request-Id`);
  }
  if (status === 405 && !headers.has('allow'))
    problems.push('405 without Allow (RFC 9110 §15.5.6)');
  if ((status === 429 || status === 503) && !/^\d+$/.test(header('retry-after'))) {
    problems.push(`${status} without Retry-After`);
  }
  if (headers.has(HEADER_MARK)) problems.push('a header of the request came back as a header');
  if (header('access-control-allow-credentials') !== '') problems.push('CORS with credentials');
  for (const cookie of headers.get('set-cookie') ?? []) {
    if (/expires=Thu, 01 Jan 1970/i.test(cookie)) continue;
    if (!/; *httponly/i.test(cookie) || !/; *samesite=lax/i.test(cookie)) {
      problems.push('a cookie that scripts or other sites can use');
    }
  }
  const isForUploads = /^\/api\/v1\/uploads(\/|$)/.test(fillIn(request.path, knowledge.values));
  const saysVersion = isNodesOwn || header('tus-resumable') === '1.0.0';
  if (isForUploads && status < 600 && !saysVersion)
    problems.push(`${status} without Tus-Resumable`);
  return [
    ...problems,
    ...leaks(request, answer, knowledge),
    ...redirects(request, header('location'), knowledge),
    ...pageProblems(answer, header),
    ...jsonProblems(request, answer, header),
    ...uploadProblems(request, answer, knowledge),
    ...photoProblems(request, answer, knowledge),
    ...fileProblems(request, answer, header),
  ];
}

function leaks(request: FuzzRequest, answer: RawAnswer, { values, secrets }: Knowledge): string[] {
  const text = [...answer.headers].map(([name, value]) => `${name}: ${value.join()}\n`).join('');
  const all = text + answer.body.toString('latin1');
  const sent = fillIn(JSON.stringify(request), values);
  const ids = THEIRS.map((name) => ({
    name: "the id of something of the victim's",
    value: values[name] ?? '',
  }));
  // The attacker has the ids and may have used one as the name of a token, a project or a user.
  const mayShowNames = /^\/(settings|photos|projects|shares|invite|api\/v1)/.test(request.path);
  const unsent = ids.filter(({ value }) => !mayShowNames && !sent.includes(value));
  const found = [...secrets, ...unsent]
    .filter(({ value }) => value !== '' && all.includes(value))
    .map(({ name }) => `the answer holds ${name}`);
  const insides = INSIDES.exec(all)?.[0];
  return insides === undefined || sent.includes(insides)
    ? found
    : [...found, `the answer reveals the inside: ${JSON.stringify(insides.slice(0, 60))}`];
}

/** No redirect leads to another origin, except to a registered redirect URI after consent. */
function redirects(request: FuzzRequest, location: string, { values }: Knowledge): string[] {
  if (location === '') return [];
  const base = values['base'] ?? '';
  if (!URL.canParse(location, base)) return [`a redirect to no address: ${location.slice(0, 80)}`];
  const url = new URL(location, base);
  if (url.origin === base) return [];
  const callback = new URL(DESKTOP_REDIRECT);
  const isLoopback = url.hostname === '127.0.0.1' || url.hostname === '[::1]';
  if (url.protocol === 'http:' && isLoopback && url.pathname === callback.pathname) return [];
  if (url.origin !== APP_ORIGIN) return [`an open redirect to ${url.origin}`];
  // RFC 9700 §4.11.2: a workspace app must not make the service redirect anonymous users.
  const cookie = request.headers.find(([name]) => /^cookie$/i.test(name))?.[1] ?? '';
  return /\{\{(settings|consent)\.cookie\}\}/.test(cookie)
    ? []
    : ["a signed-out browser user is sent to a workspace app's address"];
}

/** An element that loads one of the scripts of the pages. */
const OWN_SCRIPT = /^<script type="module" src="\/client\/[a-z]+\.js\?v=[\da-f]{12}"><\/script>$/;

function pageProblems(answer: RawAnswer, header: (name: string) => string): string[] {
  if (!header('content-type').startsWith('text/html') || answer.body.length === 0) return [];
  const text = answer.body.toString('utf8');
  const policy = header('content-security-policy');
  const problems: string[] = [];
  if (text.includes(MARKUP_MARK)) problems.push('a page shows markup of the request as markup');
  for (const [script] of text.matchAll(/<script\b[^]*?(<\/script>|$)/gi)) {
    if (!OWN_SCRIPT.test(script)) problems.push(`a page with the script ${script.slice(0, 200)}`);
  }
  if (
    !policy.startsWith("default-src 'none'") ||
    /\*|unsafe-|script-src (?!'self';)/.test(policy)
  ) {
    problems.push(`a page with the policy ${JSON.stringify(policy.slice(0, 200))}`);
  }
  if (header('x-content-type-options') !== 'nosniff') problems.push('a page that may be sniffed');
  if (!header('cache-control').includes('no-store')) problems.push('a page that may be kept');
  return problems;
}

function jsonProblems(
  request: FuzzRequest,
  answer: RawAnswer,
  header: (name: string) => string,
): string[] {
  const isMachine = request.path.startsWith('/api/');
  if (isMachine && header('content-type').startsWith('text/html')) {
    return [`a machine's address answers ${answer.status} with a page`];
  }
  const isJson = /^application\/json(?:;|$)/.test(header('content-type'));
  if (!isJson || answer.body.length === 0) return [];
  let body: unknown;
  try {
    body = JSON.parse(answer.body.toString('utf8'));
  } catch {
    return ['JSON that cannot be read'];
  }
  const isError = typeof body === 'object' && body !== null && 'error' in body;
  const isHealth = typeof body === 'object' && body !== null && 'status' in body;
  return answer.status >= 400 && !isError && !isHealth ? [`${answer.status} without an error`] : [];
}

/** A request about another user's upload does not reveal that it exists. */
function uploadProblems(request: FuzzRequest, answer: RawAnswer, { values }: Knowledge): string[] {
  const problems: string[] = [];
  const length = answer.headers.get('upload-length')?.[0] ?? '';
  if (VICTIM_LENGTHS.includes(length)) problems.push("the answer reveals the victim's upload");
  const path = fillIn(request.path, values);
  const theirs = [values['other.done'], values['other.open']];
  const isTheirs = theirs.some((id) => id !== undefined && path === `/api/v1/uploads/${id}`);
  // The methods of a URL are public, also with a method that is overridden to OPTIONS.
  const isAsked = answer.headers.has('tus-version') && answer.status === 204;
  if (!isTheirs || request.method === 'OPTIONS' || isAsked) return problems;
  const { status } = answer;
  // 409 (offset), 410 (gone), 423 (locked) and others would reveal that it exists.
  const reveals = status < 400 || [403, 409, 410, 422, 423].includes(status);
  return reveals ? [...problems, `${status} for somebody else's upload`] : problems;
}

/** The same for its page, its bytes and what can be done with it. */
function photoProblems(
  request: FuzzRequest,
  { status, headers }: RawAnswer,
  { values }: Knowledge,
): string[] {
  const path = fillIn(request.path, values);
  const [, id = ''] =
    /^\/(?:api\/v1\/uploads|photos|settings\/people)\/([^/]+)(?:\/|$)/.exec(path) ?? [];
  const isTheirs = THEIRS.some((name) => values[name] === id);
  const isQuestion =
    request.method === 'OPTIONS' || request.headers.some(([name]) => /^x-http-method/i.test(name));
  if (id === '' || !isTheirs || isQuestion) return [];
  const location = headers.get('location')?.[0] ?? '';
  const isSignIn = status === 303 && location.startsWith('/settings/sign-in');
  // Under another name of this machine every URL is redirected to the same one under the right name.
  const [address = ''] = location.split('?');
  const isOtherName =
    status === 302 && /^http:\/\/localhost:\d+(\/.*)$/.exec(address)?.[1] === path;
  const reveals =
    (status < 400 && !isSignIn && !isOtherName) || [409, 410, 416, 422, 423].includes(status);
  return reveals ? [`${status} for something of somebody else's`] : [];
}

/** Uploaded files are downloads, films that play, or re-encoded images. On the origin of the pages they never run. */
function fileProblems(
  { path }: FuzzRequest,
  { status, body }: RawAnswer,
  header: (name: string) => string,
): string[] {
  const type = header('content-type');
  const isOurs = type === '' || /^(text\/(html|plain)|application\/(jwk-set\+)?json)/.test(type);
  if (isOurs || status >= 300 || body.length === 0) return [];
  const problems: string[] = [];
  const policy = header('content-security-policy');
  const isThumbnail = /^image\/(webp|jpeg|svg\+xml)$/.test(type);
  if (!policy.startsWith('sandbox;')) problems.push(`${type} without a sandbox`);
  if (header('x-content-type-options') !== 'nosniff') problems.push(`${type} that may be sniffed`);
  if (!/private|no-store/.test(header('cache-control'))) problems.push(`${type} for any cache`);
  const plays = /\/play\b/.test(path) && /^video\/(mp4|webm)$/.test(type);
  if (!isThumbnail && !plays && !header('content-disposition').startsWith('attachment')) {
    problems.push(`${type} to be shown`);
  }
  return problems;
}
