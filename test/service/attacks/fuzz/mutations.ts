import type { Chance } from './chance.js';
import type { FuzzRequest } from './fuzz-request.js';
import { VALID_REQUESTS } from './valid-requests.js';

/** Shown nowhere without escaping; see oracles.ts. */
export const MARKUP_MARK = '<zzq x="\'">';
/** A header that no answer has. */
export const HEADER_MARK = 'x-zzq';

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'QUERY',
  'BREW',
  'get',
  'G\x00T',
];

const SUFFIXES = [
  '/',
  '//',
  '/.',
  '/..',
  '/../',
  ';a=b',
  '.json',
  '?',
  '??',
  '#',
  '#fragment',
  '%00',
  '%',
  '%zz',
  '%2f',
  '%2F..%2F',
  '%5c',
  '%c0%ae%c0%ae',
  '%ed%a0%80',
  '%ff',
  '\\',
  '\\..\\',
  '%0d%0aX-Zzq:%201',
  '%20',
  '/constructor',
  '/__proto__',
  '/{{own.open}}',
  '/{{other.open}}',
  '/{{other.done}}',
  '?/{{other.done}}',
  '?/{{other.open}}',
  '#/{{other.done}}',
  '%2f{{other.open}}',
  '/{{big:300}}',
  '{{big:9000}}',
];

const PREFIXES = [
  '/',
  '//',
  '/.',
  '/./',
  '/x/..',
  '/%2e%2e',
  '//evil.example',
  '\\',
  'http://{{host}}',
  'http://evil.example',
  'https://{{host}}@evil.example',
  'http://[::1',
  'http:',
  'javascript:',
  '/api/..',
  '/%61pi/..',
];

const WHOLE_TARGETS = [
  '*',
  '',
  '/',
  '//',
  '/%',
  '/%00',
  '/\xff\xfe',
  '?',
  '#',
  'a',
  'evil.example:443',
  '//evil.example/settings',
  '/\\evil.example',
  '/api',
  '/api/',
  '/api/v1',
  '/api/v1/uploads/',
  '/api/v1/uploads/.',
  '/api/v1/uploads/known',
  '/api/v1/uploads/known/',
  '/api/v1/uploads/known?sha256=0',
  '/api/v1/uploads/..',
  '/api/v1/uploads/../uploads/{{other.done}}',
  '/api/v1/uploads/{{own.open}}/{{other.open}}',
  '/api/v1/uploads/{{own.open}}?/{{other.open}}',
  '/api/v1/uploads/{{own.done}}?/{{other.done}}',
  '/oauth',
  '/oauth/interaction',
  '/oauth/interaction/abc',
  '/oauth/device/abc',
  '/oauth/authorize/abc',
  '/settings/apps/..',
  '/settings/%2e%2e/oauth/device',
  '/settings//developer',
  '/photos/',
  '/photos//',
  '/photos/../s/{{share.token}}',
  '/photos/{{other.photo}}/file',
  '/photos/{{other.trashed}}/thumbnail',
  '/api/v1/uploads/{{other.photo}}/content',
  '/s',
  '/s/',
  '/s/{{share.token}}/',
  '/S/{{share.token}}',
  '/s/{{share.token}}/file?photo={{other.photo}}',
  '/s/{{share.token}}/thumbnail?photo={{other.photo}}',
  '/s/{{locked.token}}/zip',
  '/projects/{{other.project}}',
  '/settings/people/{{other.mate}}?workspace={{workspace.shared}}',
  '/shares/new?photo={{other.photo}}',
  '/invite?token=svc_inv_x',
  '/.well-known/',
  '/.well-known/openid-configuration',
  '/.git/config',
  '/node_modules/',
  '/favicon.ico',
];

/** As they are on the wire, in a query, a form or a header. */
const VALUES = [
  '',
  '+',
  '%00',
  'a%00b',
  '%',
  '%zz',
  '%c0%80',
  '%ed%a0%80',
  '%ff%fe',
  '\xff',
  '%F0%9F%92%A9',
  '%E2%80%AEabc',
  '%0d%0aX-Zzq:%201',
  '%3Czzq%20x%3D%22%27%22%3E',
  MARKUP_MARK,
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'true',
  '-1',
  '0',
  '1e999',
  '0x10',
  '99999999999999999999',
  '1+1',
  '{}',
  '[]',
  '%7B%22a%22%3A1%7D',
  '%7B%22id_token%22%3A%7B%22acr%22%3Anull%7D%7D',
  "'%3BSELECT+pg_sleep(9)--",
  '../../../../etc/passwd',
  'http://evil.example/',
  '//evil.example',
  'https://*',
  'https://app.attacker.example/;script-src+*',
  'javascript:alert(1)',
  'none',
  'login+consent',
  'none+login',
  'code+id_token',
  'token',
  'query',
  'form_post',
  'fragment',
  'urn:ietf:params:oauth:grant-type:device_code',
  'password',
  'client_credentials',
  'uploads:write+openid+email',
  'eyJhbGciOiJub25lIn0.eyJpc3MiOiJ4In0.',
  '{{own.access}}',
  '{{own.refresh}}',
  '{{device.pending}}',
  '{{device.user}}',
  '{{code.code}}',
  '{{app.id}}',
  '{{app.redirect}}',
  '{{other.done}}',
  '{{workspace.shared}}',
  '{{own.photo}}',
  '{{own.account}}',
  '{{other.photo}}',
  '{{other.trashed}}',
  '{{other.project}}',
  '{{other.share}}',
  '{{other.account}}',
  '2026-02-30',
  '1767225600000.x',
  '99999999999999.x',
  '{{big:300}}',
  '{{big:5000}}',
  '{{big:40000}}',
];

/** What has made services fail before: tried as often as all others together. */
const LIKELY_VALUES = [
  '%00',
  'a%00b',
  'constructor',
  '__proto__',
  '%3Czzq%20x%3D%22%27%22%3E',
  '{{big:40000}}',
  '',
  '%ed%a0%80',
];

function value(chance: Chance): string {
  return chance.pick(chance.of(0.5) ? LIKELY_VALUES : VALUES);
}

/** Every name that a query or a form of ours has. */
const KNOWN_NAMES = VALID_REQUESTS.flatMap(({ query, form = [] }) =>
  [...query, ...form].map((one) => one.replace(/=.*$/s, '')),
);

const NAMES = [
  ...new Set(KNOWN_NAMES),
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'scope',
  'redirect_uri',
  'user_code',
  'device_code',
  'grant_type',
  'code',
  'code_verifier',
  'code_challenge',
  'code_challenge_method',
  'refresh_token',
  'refresh_attempt',
  'token',
  'token_type_hint',
  'state',
  'nonce',
  'prompt',
  'display',
  'max_age',
  'claims',
  'claims_locales',
  'request',
  'request_uri',
  'registration',
  'resource',
  'audience',
  'acr_values',
  'ui_locales',
  'id_token_hint',
  'login_hint',
  'response_type',
  'response_mode',
  'dpop_jkt',
  'authorization_details',
  'xsrf',
  'csrf',
  'confirm',
  'abort',
  'username',
  'password',
  'to',
  'done',
  'workspace',
  'grant_id',
  'token_id',
  'action',
  'name',
  'kind',
  'days',
  'redirect_uris',
  '__proto__',
  'constructor',
  'toString',
  '',
  '%00',
  '%',
  'a%00b',
  '{{big:2000}}',
];

const BASIC = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

const HEADERS: readonly (readonly [string, string])[] = [
  ['X-Forwarded-For', '203.0.113.7'],
  ['X-Forwarded-For', '203.0.113.7:4711, [2001:db8::1]:443'],
  ['X-Forwarded-For', ', ,,unknown, _hidden, ::ffff:1.2.3.4'],
  ['X-Forwarded-For', '1::2::3'],
  ['X-Forwarded-For', '{{big:4000}}'],
  ['X-Forwarded-Proto', 'https,http'],
  ['X-Forwarded-Proto', 'javascript'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Port', '-1'],
  ['Forwarded', 'for=_x;host=evil.example;proto=https'],
  ['X-Original-URL', '/settings'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Request-Id', MARKUP_MARK],
  ['Authorization', ''],
  ['Authorization', 'Bearer'],
  ['Authorization', 'Bearer '],
  ['Authorization', 'bearer {{own.access}}'],
  ['Authorization', 'Bearer  {{own.access}} x'],
  ['Authorization', 'Bearer {{own.access}},Bearer {{own.pat}}'],
  ['Authorization', 'Bearer svc_at_\xe9\xff'],
  ['Authorization', 'Bearer svc_at_{{big:6000}}'],
  ['Authorization', 'Bearer svc_pat_constructor'],
  ['Authorization', 'Basic'],
  ['Authorization', 'Basic !!!!'],
  ['Authorization', 'Basic {{app.basic}}'],
  ['Authorization', BASIC('creative-workspace-plugin:')],
  ['Authorization', BASIC('creative-workspace-plugin:secret')],
  ['Authorization', BASIC('%:%')],
  ['Authorization', BASIC('%00:%00')],
  ['Authorization', BASIC('\u0000:\u0000')],
  ['Authorization', BASIC('constructor:x')],
  ['Authorization', BASIC(':')],
  ['Authorization', 'DPoP x'],
  ['DPoP', 'x.y.z'],
  ['Content-Type', 'application/json'],
  ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-7'],
  ['Content-Type', 'application/x-www-form-urlencoded; charset=__proto__'],
  ['Content-Type', 'multipart/form-data; boundary=x'],
  ['Content-Type', 'multipart/form-data'],
  ['Content-Type', 'text/plain'],
  ['Content-Type', ';;;'],
  ['Content-Type', ''],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'br, deflate'],
  ['Transfer-Encoding', 'identity'],
  ['Transfer-Encoding', 'gzip, chunked'],
  ['Content-Length', '0'],
  ['Content-Length', '-5'],
  ['Content-Length', '5, 5'],
  ['Host', 'evil.example'],
  ['Host', '{{host}}, evil.example'],
  ['Host', ''],
  ['Host', '127.0.0.1'],
  ['Host', '127.0.0.1:{{port}}'],
  ['Host', '[::1]'],
  ['Host', 'a b'],
  ['Cookie', 'cws_session=x; cws_session.sig=x'],
  ['Cookie', 'cws_interaction=%00; cws_resume=%; __proto__=1; =; ;;'],
  ['Cookie', 'cws_session={{big:4000}}'],
  ['Cookie', '{{login.cookie}}'],
  ['Cookie', '{{consent.cookie}}'],
  ['Cookie', '{{settings.cookie}}; {{page.cookie}}'],
  ['Cookie', '\xff\xfe=\xff'],
  ['Range', 'bytes=0-0,1-1,2-'],
  ['If-None-Match', '*'],
  ['If-Match', '"x"'],
  ['If-Modified-Since', 'x'],
  ['Expect', '100-continue'],
  ['Expect', 'everything'],
  ['Upgrade', 'websocket'],
  ['Upgrade', 'h2c'],
  ['Trailer', 'Authorization'],
  ['TE', 'trailers'],
  ['Accept', 'text/html;q=x, */*'],
  ['Accept', '{{big:3000}}'],
  ['Accept-Language', '\xff, zz-__proto__'],
  ['Accept-Encoding', 'gzip;q=0, *;q=9'],
  ['Origin', 'null'],
  ['Origin', 'https://evil.example'],
  ['Referer', 'https://evil.example'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Sec-Fetch-Site', 'x'],
  ['Access-Control-Request-Method', 'PATCH'],
  ['Access-Control-Request-Headers', '*, \xff'],
  ['Tus-Resumable', '0.2.2'],
  ['Tus-Resumable', ''],
  ['X-HTTP-Method-Override', 'GET'],
  ['X-HTTP-Method-Override', 'HEAD'],
  ['X-HTTP-Method-Override', 'POST'],
  ['X-HTTP-Method-Override', 'PATCH'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-HTTP-Method-Override', 'OPTIONS'],
  ['X-HTTP-Method-Override', 'TRACE'],
  ['X-HTTP-Method-Override', 'CONNECT'],
  ['X-HTTP-Method-Override', ''],
  ['X-HTTP-Method-Override', '__proto__'],
  ['Repr-Digest', 'crc32c=:AAAAAA==:'],
  ['Repr-Digest', 'sha-256=:AAAA:'],
  ['Repr-Digest', 'crc32c=(1 2);a=?1, b=:****:'],
  ['Repr-Digest', '{{big:6000}}'],
  ['Upload-Length', '-1'],
  ['Upload-Length', '1.5'],
  ['Upload-Length', '1e3'],
  ['Upload-Length', '99999999999999999999'],
  ['Upload-Length', '9007199254740993'],
  ['Upload-Length', '0'],
  ['Upload-Defer-Length', '1'],
  ['Upload-Defer-Length', '2'],
  ['Upload-Offset', '-1'],
  ['Upload-Offset', '1'],
  ['Upload-Offset', '99999999999999999999'],
  ['Upload-Offset', 'NaN'],
  ['Upload-Concat', 'partial'],
  ['Upload-Concat', 'final;/api/v1/uploads/{{other.done}} /api/v1/uploads/{{own.done}}'],
  ['Upload-Checksum', 'sha1 AAAA'],
  ['Upload-Metadata', ''],
  ['Upload-Metadata', ',,,'],
  ['Upload-Metadata', 'filename'],
  ['Upload-Metadata', 'filename !!!'],
  ['Upload-Metadata', 'filename AAAA'],
  ['Upload-Metadata', 'filename 7aCA'],
  ['Upload-Metadata', '__proto__ YQ==,constructor YQ=='],
  ['Upload-Metadata', 'filename YQ==,filename Yg=='],
  ['Upload-Metadata', 'client_upload_id YQ=='],
  ['Upload-Metadata', 'filename {{big:6000}}'],
  ['Upload-Metadata', 'filename PHp6cSB4PSInIj4='],
  ['{{big:200}}', 'x'],
  ['X-Big', '{{big:17000}}'],
  ['X-Odd', '\x01\x7f'],
];

const BODIES = [
  '',
  '{"files":[{"name":"a","size":1},{"name":"\\u0000\\ud800","size":0}]}',
  '{"files":[{"name":{"toString":1},"size":1e309}],"__proto__":{"files":[]}}',
  '{}',
  '{"client_id":"creative-workspace-plugin","__proto__":{"a":1}}',
  '[]',
  'null',
  '&&&===&&',
  '%',
  '=',
  'a[]=1&a[__proto__]=2&a.b=3',
  '\x00\x01\x02\xff\xfe',
  '--x\r\nContent-Disposition: form-data; name="client_id"\r\n\r\nx\r\n--x--\r\n',
  '\x1f\x8b\x08\x00garbage',
  '{{big:20000}}',
  'client_id={{big:70000}}',
  '{{big:400000}}',
];

/** Headers that by themselves make a request one which HTTP lets a server drop. */
const BREAKING = /^(transfer-encoding|content-length|host|upgrade|expect|x-odd|x-big)$/i;

type Mutation = (request: FuzzRequest, chance: Chance) => FuzzRequest;

const addHeader: Mutation = (request, chance) => {
  const header = chance.pick(HEADERS);
  const [name, value] = header;
  const replaces = chance.of(0.7);
  const kept = replaces
    ? request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase())
    : request.headers;
  // oxlint-disable-next-line no-control-regex
  const isOdd = BREAKING.test(name) || /[\x00-\x08\x0a-\x1f\x7f]/.test(value) || !replaces;
  return { ...request, headers: [...kept, header], broken: request.broken || isOdd };
};

const dropHeader: Mutation = (request, chance) => {
  const dropped = chance.below(request.headers.length + 1);
  return { ...request, headers: request.headers.filter((_header, index) => index !== dropped) };
};

const doubleHeader: Mutation = (request, chance) =>
  request.headers.length === 0
    ? {
        ...request,
        headers: [
          ['Host', '{{host}}'],
          ['Host', 'evil.example'],
        ],
        broken: true,
      }
    : { ...request, headers: [...request.headers, chance.pick(request.headers)], broken: true };

const changeMethod: Mutation = (request, chance) => {
  const method = chance.pick(METHODS);
  return { ...request, method, broken: request.broken || !/^[A-Z]+$/.test(method) };
};

const changePath: Mutation = (request, chance) => {
  const { path } = request;
  const kind = chance.below(7);
  const at = chance.below(path.length);
  const changed =
    kind === 0
      ? chance.pick(PREFIXES) + path
      : kind === 1
        ? chance.pick(WHOLE_TARGETS)
        : kind === 2 && !path.includes('{{')
          ? `${path.slice(0, at)}%${path.charCodeAt(at).toString(16)}${path.slice(at + 1)}`
          : kind === 3
            ? path.replaceAll('/', chance.pick(['//', '/./', '%2f', '\\']))
            : kind === 4 && !path.includes('{{')
              ? path.slice(0, at) + path.slice(at).toUpperCase()
              : kind === 5
                ? path.replace(/[^/]*$/, value(chance))
                : path + chance.pick(SUFFIXES);
  // Node refuses control characters, spaces and the like in a target by itself.
  const broken = request.broken || !/^(\/|http)[\x21-\x7e]*$/.test(changed);
  return { ...request, path: changed, broken };
};

const changeVersion: Mutation = (request, chance) => ({
  ...request,
  version: chance.pick([
    'HTTP/1.0',
    'HTTP/1.0',
    'HTTP/0.9',
    'HTTP/2.0',
    'HTTP/9.9',
    'http/1.1',
    '',
  ]),
  broken: true,
});

/** Changes the query, or the form where there is one. */
const changeParameters: Mutation = (request, chance) => {
  const inForm = request.form !== undefined && chance.of(0.85);
  const list = [...(inForm ? request.form : request.query)];
  const at = chance.below(list.length);
  const one = list[at];
  const name = one?.replace(/=.*$/s, '') ?? 'client_id';
  const kind = chance.below(11);
  if (one === undefined || kind === 0) {
    list.push(`${chance.pick(NAMES)}=${value(chance)}`);
  } else if (kind === 1) list.push(one);
  else if (kind === 2) list.push(`${name}=${value(chance)}`);
  else if (kind === 3) list.splice(at, 1);
  else if (kind === 4) list[at] = `${name}${chance.pick(['[]', '[a]', '[__proto__]', '%00'])}=1`;
  else if (kind === 5) list[at] = name;
  else list[at] = `${name}=${value(chance)}`;
  return inForm
    ? { ...request, form: list }
    : { ...request, query: list, broken: brokenQuery(request, list) };
};

function brokenQuery(request: FuzzRequest, query: readonly string[]): boolean {
  return (
    request.broken || !/^[\x21-\x7e]*$/.test(query.join('&')) || query.join('').includes('big:')
  );
}

const changeBody: Mutation = (request, chance) => ({
  ...request,
  form: undefined,
  body: chance.pick(BODIES),
});

const changeFraming: Mutation = (request, chance) => ({
  ...request,
  framing: chance.pick(['chunked', 'chunked', 'odd chunks', 'both', 'none', 0, 3, 100_000, 9e15]),
});

const changeDelivery: Mutation = (request, chance) => ({
  ...request,
  delivery: chance.pick(['slow', 'cut', 'cut', 'hold']),
  part: 0.1 + chance.below(90) / 100,
});

/** What of one's own has a counterpart that is the victim's. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['photo', 'second', 'trashed', 'project', 'share', 'invitation', 'account', 'open', 'done'].map(
      (name) => [`{{own.${name}}}`, `{{other.${name}}}`],
    ),
  ),
  '{{mate.account}}': '{{other.mate}}',
  '{{workspace.own}}': '{{workspace.shared}}',
};

/** Asks the same about something of the victim's, in some of the places or in all. */
const changeWhose: Mutation = (request, chance) => {
  const change = (text: string): string =>
    chance.of(0.2) ? text : text.replace(/\{\{[\w.]+\}\}/g, (word) => COUNTERPARTS[word] ?? word);
  return {
    ...request,
    path: change(request.path),
    query: request.query.map(change),
    form: request.form?.map(change),
    body: request.body === undefined ? undefined : change(request.body),
  };
};

/** Changes, the more likely ones several times. */
const MUTATIONS: readonly Mutation[] = [
  changeParameters,
  changeParameters,
  changeParameters,
  changeParameters,
  changeParameters,
  changeParameters,
  changeWhose,
  changeWhose,
  changeWhose,
  addHeader,
  addHeader,
  addHeader,
  addHeader,
  changePath,
  changePath,
  changePath,
  changeMethod,
  changeMethod,
  dropHeader,
  doubleHeader,
  changeBody,
  changeFraming,
  changeDelivery,
  changeVersion,
];

const WITH_PARAMETERS = VALID_REQUESTS.filter(
  ({ form, query }) => form !== undefined || query.length > 0,
);

/** A request: a valid one with none to four changes. */
export function makeRequest(chance: Chance): FuzzRequest {
  let request = chance.pick(chance.of(0.6) ? WITH_PARAMETERS : VALID_REQUESTS);
  request = {
    ...request,
    // As the proxy in front of the service would say; one address has many requests.
    headers: [['X-Forwarded-For', address(chance)], ...request.headers],
    followed: chance.of(0.05),
    copies: chance.of(0.05) ? 2 : 1,
  };
  const changes = chance.pick([0, 1, 1, 1, 2, 2, 3, 4]);
  for (let count = 0; count < changes; count += 1) {
    request = chance.pick(MUTATIONS)(request, chance);
  }
  return request;
}

function address(chance: Chance): string {
  const part = (): number => chance.below(16);
  if (chance.of(0.2)) return `2001:db8:${part()}:${part()}::${part().toString(16)}`;
  const direct = `10.${part()}.${part()}.7`;
  return chance.of(0.1) ? `198.51.100.${part()}, ${direct}` : direct;
}
