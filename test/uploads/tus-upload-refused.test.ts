import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/base/errors.js';
import { accept, BASE, ENDPOINT, photo, TusRig, URL } from './tus-rig.js';

let rig: TusRig;

beforeEach(async () => {
  rig = await TusRig.create();
});

describe('an answer that lies', () => {
  it.each([
    ['an offset beyond the photo', { 'Upload-Offset': '26', 'Upload-Length': '25' }],
    ['another length', { 'Upload-Offset': '10', 'Upload-Length': '24' }],
    ['a length that makes the offset the end', { 'Upload-Offset': '10', 'Upload-Length': '10' }],
    ['no offset', { 'Upload-Length': '25' }],
    ['no length', { 'Upload-Offset': '10' }],
    ['a negative offset', { 'Upload-Offset': '-1', 'Upload-Length': '25' }],
    ['an offset that is no number', { 'Upload-Offset': '10x', 'Upload-Length': '25' }],
    ['an empty offset', { 'Upload-Offset': '', 'Upload-Length': '25' }],
    ['a fraction', { 'Upload-Offset': '1.5', 'Upload-Length': '25' }],
    ['no safe number', { 'Upload-Offset': '9'.repeat(17), 'Upload-Length': '25' }],
    // 25 to one reader, 0 or 2 to another, who would then take the upload for complete.
    ['a length in hexadecimal', { 'Upload-Offset': '0', 'Upload-Length': '0x19' }],
    ['a length with an exponent', { 'Upload-Offset': '2', 'Upload-Length': '2.5e1' }],
    ['a length of two numbers', { 'Upload-Offset': '10', 'Upload-Length': '25, 10' }],
  ])(
    'to where the upload stands is refused: %s',
    async (_name, headers: Record<string, string>) => {
      const outcome = rig.start(URL);
      (await rig.next('HEAD', URL)).respond(200, headers);
      await rig.clock.settle();
      expect(outcome.error).toMatchObject({ code: 'CW-305' });
      expect(rig.network.exchanges).toHaveLength(1);
    },
  );

  it.each([
    ['the end though a part was sent', '25'],
    ['more than was sent', '21'],
    ['no progress', '10'],
    ['less than before', '9'],
    ['beyond the photo', '1000'],
    ['nothing', null],
    ['nonsense', 'NaN'],
  ])('to a chunk is refused: %s', async (_name, offset) => {
    const outcome = rig.start();
    accept(await rig.next('POST', ENDPOINT), 10);
    (await rig.next('PATCH', URL)).respond(204, offset === null ? {} : { 'Upload-Offset': offset });
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
    expect(rig.network.exchanges).toHaveLength(2);
  });

  it.each([
    ['beyond the photo', { Location: '/api/v1/uploads/u-1', 'Upload-Offset': '26' }],
    ['without an offset', { Location: '/api/v1/uploads/u-1' }],
    ['without an address', { 'Upload-Offset': '10' }],
    [
      'with an address longer than can be kept',
      { Location: `/api/v1/uploads/${'u'.repeat(2_000)}`, 'Upload-Offset': '10' },
    ],
  ])('to a creation is refused: %s', async (_name, headers: Record<string, string>) => {
    const outcome = rig.start();
    (await rig.next('POST', ENDPOINT)).respond(201, headers);
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-305' });
    expect(rig.network.exchanges).toHaveLength(1);
  });

  it.each([
    'https://evil.example/api/v1/uploads/u-1',
    '//evil.example/api/v1/uploads/u-1',
    'http://service.example/api/v1/uploads/u-1',
    '/api/oauth/token',
    '/api/v1/uploads-elsewhere/u-1',
    '/api/v1/uploads',
    '/api/v1/uploads/../../oauth/token',
    '/api/v1/uploads/%2e%2e/%2e%2e/oauth/token',
    'https://service.example@evil.example/',
  ])('about where the upload lies is not followed: %s', async (location) => {
    const outcome = rig.start();
    (await rig.next('POST', ENDPOINT)).respond(201, { Location: location, 'Upload-Offset': '10' });
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-304' });
    expect(rig.network.exchanges).toHaveLength(1);
  });

  it('about where the upload lies is not followed after a restart either', async () => {
    const outcome = rig.start('https://evil.example/api/v1/uploads/u-1');
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-304' });
    expect(rig.network.exchanges).toHaveLength(0);
  });
});

describe('an upload that cannot be', () => {
  it.each([
    [403, 'CW-203'],
    [413, 'CW-604'],
    [415, 'CW-605'],
    [507, 'CW-606'],
    [400, 'CW-603'],
  ])('is refused for good with %d as %s', async (status, code) => {
    const outcome = rig.start();
    (await rig.next('POST', ENDPOINT)).respond(status);
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({ code, status });
    expect(rig.clock.pending).toBe(0);
  });

  it('any more, because the workspace is full by now, says CW-606 with the word of the service', async () => {
    const outcome = rig.start();
    accept(await rig.next('POST', ENDPOINT), 10);
    (await rig.next('PATCH', URL)).respond(507, {}, { error: 'quota_exceeded' });
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({
      code: 'CW-606',
      status: 507,
      oauthError: 'quota_exceeded',
    });
    expect(rig.clock.pending).toBe(0);
  });

  it('because its copy is damaged says CW-607 and sends no more', async () => {
    const outcome = rig.start(null, (from) =>
      from === 0
        ? Promise.resolve(photo.slice(0, 10).buffer)
        : Promise.reject(new CwError('CW-607', 'shorter than it was')),
    );
    accept(await rig.next('POST', ENDPOINT), 10);
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-607' });
    expect(rig.network.exchanges).toHaveLength(1);
  });

  it('because the session has ended says CW-202', async () => {
    const outcome = rig.start();
    (await rig.next('POST', ENDPOINT)).respond(401);
    await rig.clock.advance(500);
    (await rig.next('POST', `${BASE}/api/oauth/token`)).respond(
      400,
      {},
      { error: 'invalid_grant' },
    );
    await rig.clock.settle();
    expect(outcome.error).toMatchObject({ code: 'CW-202' });
  });
});
