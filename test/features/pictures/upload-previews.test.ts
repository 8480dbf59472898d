import { describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '../../../src/api/request-queue.js';
import { UploadPreviews } from '../../../src/features/pictures/upload-previews.js';
import { CancelSource } from '../../../src/util/cancel.js';
import { CwError } from '../../../src/util/errors.js';
import { accountWith, BASE } from '../api-fixture.js';

const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]).buffer;

function previews(
  answer: { readonly status: number; readonly bytes?: ArrayBuffer } | CwError,
  scopes: readonly string[] | null = ['uploads:content'],
): { readonly previews: UploadPreviews; readonly requests: ApiRequest[] } {
  const requests: ApiRequest[] = [];
  return {
    requests,
    previews: new UploadPreviews({
      endpoint: `${BASE}/api/v1/uploads`,
      account: { state: { get: () => accountWith(scopes), subscribe: () => () => undefined } },
      requests: {
        send: (request) => {
          requests.push(request);
          return answer instanceof CwError
            ? Promise.reject(answer)
            : Promise.resolve({ ...answer, text: '', header: () => null });
        },
      },
    }),
  };
}

describe('a large picture of the service', () => {
  it('is loaded once, with a limit of its length', async () => {
    const { previews: all, requests } = previews({ status: 200, bytes: JPEG });
    const { signal } = new CancelSource();
    expect(await all.load('u/1', signal)).toBe('data:image/jpeg;base64,/9j/4A==');
    expect(requests).toEqual([
      expect.objectContaining({
        url: `${BASE}/api/v1/uploads/u%2F1/preview`,
        isBinary: true,
        repeatable: false,
        maxResponseLength: 4 * 1024 * 1024,
      }),
    ]);
  });

  it.each([
    ['the service has none', { status: 204, bytes: new ArrayBuffer(0) }],
    ['it is no JPEG', { status: 200, bytes: new TextEncoder().encode('<svg>').buffer }],
    ['it is empty', { status: 200, bytes: new ArrayBuffer(0) }],
    ['the service refuses it', new CwError('CW-203', 'no')],
    ['there is no connection', new CwError('CW-301', 'no')],
  ])('is null when %s', async (_, answer) => {
    const { previews: all } = previews(answer);
    expect(await all.load('u1', new CancelSource().signal)).toBeNull();
  });

  it.each([
    [['uploads:write'], 0],
    [['workspace:read'], 1],
    [null, 1],
  ])('is requested with the scopes %j: %d', async (scopes, count) => {
    const { previews: all, requests } = previews({ status: 200, bytes: JPEG }, scopes);
    await all.load('u1', new CancelSource().signal);
    expect(requests).toHaveLength(count);
  });
});
