import { describe, expect, it } from '@jest/globals';
import {
  answerDetails,
  errorFromAnswer,
  isFromService,
  isTransientStatus,
} from '../../src/oauth/errors.js';
import type { HttpResponse } from '../../src/host/http.js';
import { httpResponse } from '../support/conversation.js';

describe('the support details of a response', () => {
  it.each([
    ['a word', 'invalid_grant', true],
    ['the longest word', 'x'.repeat(64), true],
    ['a longer one', 'x'.repeat(65), false],
    ['none', '', false],
    ['a sentence', 'invalid grant', false],
    ['a word and more after it', 'invalid_grant svc_at_1', false],
    ['a word and more before it', '<b>invalid_grant', false],
    ['a number', 7, false],
  ])('are its error when that is %s', (_case, error, isKept) => {
    const details = answerDetails(httpResponse(400, {}, { error }), 0);
    expect(details).toEqual({ status: 400, ...(isKept && { oauthError: error }) });
  });

  it.each([
    ['a name', 'A-z_0.9', true],
    ['the longest name', 'x'.repeat(64), true],
    ['a longer one', 'x'.repeat(65), false],
    ['none', '', false],
    ['a name and more after it', 'id svc_at_1', false],
    ['a name and more before it', '<b>id', false],
  ])('are the request’s id when that is %s', (_case, id, isKept) => {
    const details = answerDetails(httpResponse(503, { 'X-Request-Id': id }), 0);
    expect(details).toEqual({ status: 503, ...(isKept && { requestId: id }) });
  });

  it('include Retry-After', () => {
    const response = httpResponse(429, { 'Retry-After': '7' }, 'no JSON');
    expect(answerDetails(response, 0)).toEqual({ status: 429, retryAfterMs: 7_000 });
  });
});

it('treats only transient responses as transient', () => {
  const passing = Array.from({ length: 600 }, (_, status) => status).filter(isTransientStatus);
  const final = [501, 505, 507];
  const failures = Array.from({ length: 100 }, (_, index) => 500 + index);
  expect(passing).toEqual([408, 425, 429, ...failures.filter((status) => !final.includes(status))]);
});

const PAGE = '<html><head><title>403 Forbidden</title></head></html>';

it.each<[string, HttpResponse, boolean]>([
  ['a tus header', httpResponse(404, { 'Tus-Resumable': '1.0.0' }), true],
  ['a JSON error', httpResponse(400, {}, { error: 'invalid_request' }), true],
  ['a JSON error after a byte order mark', httpResponse(400, {}, '\ufeff{"error":"x"}'), true],
  ['a page', httpResponse(403, { Server: 'nginx' }, PAGE), false],
  ['nothing', httpResponse(403), false],
  ['a gateway’s JSON', httpResponse(403, {}, { message: 'Forbidden' }), false],
  ['a problem document', httpResponse(403, {}, { type: 'about:blank', status: 403 }), false],
  ['an error that is no text', httpResponse(403, {}, { error: { code: 403 } }), false],
  ['an empty error', httpResponse(403, {}, { error: '' }), false],
  ['a JSON list', httpResponse(403, {}, '[{"error":"x"}]'), false],
])('a refusal with %s is from the service: %j', (_case, response, isOurs) => {
  expect(isFromService(response)).toBe(isOurs);
});

const NO_VERDICT = { code: 'CW-304', isIntercepted: true };

it.each<[number, string, object]>([
  [400, PAGE, NO_VERDICT],
  [403, PAGE, NO_VERDICT],
  [405, PAGE, NO_VERDICT],
  [407, PAGE, NO_VERDICT],
  [451, PAGE, NO_VERDICT],
  [302, '{"error":"login_required"}', NO_VERDICT],
  [200, PAGE, NO_VERDICT],
  [511, PAGE, NO_VERDICT],
  [511, '{"error":"login_required"}', NO_VERDICT],
  [999, PAGE, NO_VERDICT],
  [403, '{"error":"access_denied"}', { code: 'CW-101', isIntercepted: false }],
  [200, '{"error":"invalid_scope"}', { code: 'CW-101', isIntercepted: false }],
  [400, '{"error":"temporarily_unavailable"}', { code: 'CW-303' }],
  [200, '{"error":"server_error"}', { code: 'CW-303' }],
  [501, PAGE, { code: 'CW-101', isIntercepted: false }],
  [520, PAGE, { code: 'CW-303', isIntercepted: false }],
  [599, '', { code: 'CW-303', isIntercepted: false }],
])('%d with %s becomes %j', (status, text, expected) => {
  const error = errorFromAnswer(httpResponse(status, {}, text), 'CW-101', 0);
  expect(error).toMatchObject({ status, ...expected });
});
