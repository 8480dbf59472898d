import { describe, expect, it } from '@jest/globals';
import {
  nextPage,
  readPageRequest,
  toListed,
} from '../../../../service/library/photos/api/pagination.js';

describe('a page of the list', () => {
  const place = { createdAt: new Date('2026-01-15T12:00:00.123Z'), id: 'Az09_-' };

  it.each([
    [undefined, 1000],
    ['', 1000],
    ['limit=1', 1],
    ['limit=1000', 1000],
    ['limit=999', 999],
  ])('requested with %j has up to %d', (query, limit) => {
    expect(readPageRequest(query)).toMatchObject({ limit, after: undefined });
  });

  it('continues after the previous page', () => {
    const address = nextPage({ limit: 7, kept: new URLSearchParams({ name: 'a b' }) }, place);
    expect(address).toBe('/api/v1/uploads?limit=7&after=1768478400123.Az09_-&name=a+b');
    expect(readPageRequest(address.split('?')[1])).toMatchObject({
      limit: 7,
      after: place,
      filter: { name: 'a b' },
    });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=10000', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=x1', 'limit'],
    ['limit=1x', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=1', 'each once'],
    ['limit=1&offset=2', 'each once'],
    ['after=', 'after'],
    ['after=x1.a', 'after'],
    ['after=1.a.', 'after'],
    ['after=1', 'after'],
    ['after=1.', 'after'],
    ['after=.a', 'after'],
    ['after=1xa', 'after'],
    [`after=${'1'.repeat(15)}.a`, 'after'],
    [`after=1.${'a'.repeat(65)}`, 'after'],
  ])('cannot be requested with %s', (query, problem) => {
    expect(readPageRequest(query)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('lists an upload without a client id', () => {
    const listed = {
      id: 'one',
      name: 'one.jpg',
      size: 10,
      type: 'image/jpeg',
      sha256: 'a'.repeat(64),
      createdAt: place.createdAt,
      clientUploadId: undefined,
      width: undefined,
      height: undefined,
      capturedAt: undefined,
    };
    expect(toListed(listed)).toEqual({
      id: 'one',
      name: 'one.jpg',
      size: 10,
      type: 'image/jpeg',
      sha256: 'a'.repeat(64),
      created: '2026-01-15T12:00:00.123Z',
      client_upload_id: null,
      width: null,
      height: null,
      captured_at: null,
    });
    expect(toListed({ ...listed, clientUploadId: 'mine' })).toMatchObject({
      client_upload_id: 'mine',
    });
  });
});
