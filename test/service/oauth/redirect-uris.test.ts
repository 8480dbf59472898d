import { describe, expect, it } from '@jest/globals';
import {
  formActionSource,
  loopbackRedirectProblem,
  validRedirectUris,
  webRedirectProblem,
} from '../../../service/oauth/clients/redirect-uris.js';

/** Valid and invalid redirect URIs. */
describe('a redirect URI', () => {
  const GOOD = ['https://shop.example/callback', 'https://shop.example:8443/a?b=c'];
  const GOOD_LOCAL = ['http://127.0.0.1/callback', 'http://[::1]/callback'];

  it('is valid when it names one URL', () => {
    for (const uri of GOOD) expect([uri, webRedirectProblem(uri)]).toEqual([uri, undefined]);
    for (const uri of GOOD_LOCAL)
      expect([uri, loopbackRedirectProblem(uri)]).toEqual([uri, undefined]);
  });

  it.each([
    ['any path', 'https://shop.example/*'],
    ['any query', 'https://shop.example/callback?*'],
    ['any name below', 'https://*.shop.example/callback'],
    ['any name', 'https://*/callback'],
    ['anything', '*'],
    ['a part of a path', 'https://shop.example/call*back'],
    ['a path with the other slash', 'https://shop.example\\callback'],
    ['a character that is not ASCII', 'https://shop.example/cällback'],
    ['a blank', 'https://shop.example/call back'],
    ['a fragment', 'https://shop.example/callback#part'],
    ['an empty fragment', 'https://shop.example/callback#'],
    ['a name', 'https://me@shop.example/callback'],
    ['a password', 'https://:secret@shop.example/callback'],
    ['two rules of a policy', 'https://shop.example;script-src/callback'],
  ])('is invalid with %s', (_what, uri) => {
    expect(webRedirectProblem(uri)).toBeDefined();
    expect(validRedirectUris([...GOOD, uri], true)).toEqual(GOOD);
  });

  it('of a server app is https, or http on loopback', () => {
    for (const uri of ['http://localhost:3000/a', 'http://127.0.0.1/a', 'http://[::1]:8080/a'])
      expect([uri, webRedirectProblem(uri)]).toEqual([uri, undefined]);
    for (const uri of ['http://shop.example/a', 'ftp://localhost/a', 'javascript:alert(1)', 'shop'])
      expect([uri, webRedirectProblem(uri)]).toEqual([uri, expect.anything()]);
  });

  it.each([
    'shop',
    'http://127.0.0.1/*',
    'http://127.0.0.1/callback?*',
    'http://127.0.0.*/callback',
    'http://*/callback',
    'http://127.0.0.1\\callback',
    'http://127.0.0.1/cällback',
    'http://127.0.0.1/callback#part',
    'http://me@127.0.0.1/callback',
    'http://[::1]/*',
    'http://localhost/callback',
    'http://shop.example/callback',
    'https://127.0.0.1/callback',
  ])('of a native app is not %s', (uri) => {
    expect(loopbackRedirectProblem(uri)).toBeDefined();
    expect(validRedirectUris([...GOOD_LOCAL, uri], false)).toEqual(GOOD_LOCAL);
  });

  it('adds only its origin to the policy', () => {
    expect(formActionSource('https://shop.example/callback?a=b')).toBe('https://shop.example');
    expect(formActionSource('http://[::1]:4000/callback')).toBe('http:');
    expect(formActionSource('https://*.shop.example/')).toBeUndefined();
    expect(formActionSource('javascript:alert(1)')).toBeUndefined();
  });
});
