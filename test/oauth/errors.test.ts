import { describe, expect, it } from '@jest/globals';
import { answerDetails, isTransientStatus } from '../../src/oauth/errors.js';
import { httpResponse } from '../support/conversation.js';

describe('what is kept of an answer for support', () => {
  it.each([
    ['a word', 'invalid_grant', true],
    ['the longest word', 'x'.repeat(64), true],
    ['a longer one', 'x'.repeat(65), false],
    ['none', '', false],
    ['a sentence', 'invalid grant', false],
    ['a word and more after it', 'invalid_grant svc_at_1', false],
    ['a word and more before it', '<b>invalid_grant', false],
    ['a number', 7, false],
  ])('is its error where that is %s', (_case, error, isKept) => {
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
  ])('is the request’s id where that is %s', (_case, id, isKept) => {
    const details = answerDetails(httpResponse(503, { 'X-Request-Id': id }), 0);
    expect(details).toEqual({ status: 503, ...(isKept && { requestId: id }) });
  });

  it('is how long the service asks to be left alone', () => {
    const response = httpResponse(429, { 'Retry-After': '7' }, 'no JSON');
    expect(answerDetails(response, 0)).toEqual({ status: 429, retryAfterMs: 7_000 });
  });
});

it('takes answers for passing that say so, and no others', () => {
  const passing = Array.from({ length: 600 }, (_, status) => status).filter(isTransientStatus);
  expect(passing).toEqual([408, 425, 429, 500, 502, 503, 504]);
});
