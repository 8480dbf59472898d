import type { Chance } from './chance.js';
import type { FuzzRequest } from './fuzz-request.js';
import { VALID_REQUESTS } from './valid-requests.js';
import { BREAKING, HEADERS } from './odd-headers.js';
import { NAMES, value } from './odd-parameters.js';
import { METHODS, PREFIXES, SUFFIXES, WHOLE_TARGETS } from './odd-targets.js';

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

/** The attacker's records that have a counterpart of the victim. */
const COUNTERPARTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['photo', 'second', 'trashed', 'project', 'share', 'invitation', 'account', 'open', 'done'].map(
      (name) => [`{{own.${name}}}`, `{{other.${name}}}`],
    ),
  ),
  '{{mate.account}}': '{{other.mate}}',
  '{{workspace.own}}': '{{workspace.shared}}',
};

/** Replaces own ids by the victim's, in some places or in all. */
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
    // As a header of the proxy; one address has many requests.
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
