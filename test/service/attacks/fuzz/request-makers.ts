import type { FuzzRequest } from './fuzz-request.js';

const PLAIN: FuzzRequest = {
  method: 'GET',
  path: '/',
  query: [],
  version: 'HTTP/1.1',
  headers: [],
  framing: 'length',
  delivery: 'whole',
  part: 1,
  followed: false,
  copies: 1,
  broken: false,
};

/** The session of the attacker's browser. */
export const SIGNED_IN = { Cookie: '{{settings.cookie}}' };
/** What each form of a page contains after a sign-in. */
export const CSRF = { csrf: '{{settings.csrf}}' };
export const WORKSPACE = { workspace: '{{workspace.own}}' };
/** The token of the attacker's app. */
export const BEARER = { Authorization: 'Bearer {{own.access}}' };

export type Fields = Readonly<Record<string, string>>;

/** Values are written as they are on the wire, so that words in braces stay as they are. */
function parts(fields: Fields): string[] {
  return Object.entries(fields).map(([name, value]) => `${name}=${value}`);
}

export function get(path: string, query: Fields = {}, headers: Fields = {}): FuzzRequest {
  return { ...PLAIN, path, query: parts(query), headers: Object.entries(headers) };
}

export function post(path: string, form: Fields, headers: Fields = {}): FuzzRequest {
  return {
    ...PLAIN,
    method: 'POST',
    path,
    headers: [['Content-Type', 'application/x-www-form-urlencoded'], ...Object.entries(headers)],
    form: parts(form),
  };
}

/** A request that is no form; without a body where none is given. */
export function send(method: string, path: string, headers: Fields, body?: string): FuzzRequest {
  return { ...PLAIN, method, path, headers: Object.entries(headers), body };
}
