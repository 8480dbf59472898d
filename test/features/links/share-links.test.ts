import { beforeEach, describe, expect, it } from '@jest/globals';
import { ShareLinks, type ShareTarget } from '../../../src/features/links/share-links.js';
import { outcomeOf } from '../../support/outcome.js';
import { accountWith, ApiFixture, BASE } from '../api-fixture.js';

const CREATED = '2026-11-22T12:00:00.000Z';
const EXPIRES = '2026-12-22T12:00:00.000Z';
const ANSWER = {
  id: 's-1',
  url: `${BASE}/s/abc`,
  expires: EXPIRES,
  has_password: true,
  name: 'Spring wedding',
  photos: 32,
  project: { id: 'p-1', name: 'Spring wedding' },
  created: CREATED,
};
const LINK = {
  id: 's-1',
  url: `${BASE}/s/abc`,
  expires: Date.parse(EXPIRES),
  created: Date.parse(CREATED),
  hasPassword: true,
  name: 'Spring wedding',
  photos: 32,
  project: { id: 'p-1', name: 'Spring wedding' },
};
const PROJECT: ShareTarget = { project: 'p-1' };

let fixture: ApiFixture;
let links: ShareLinks;

beforeEach(async () => {
  fixture = await ApiFixture.create();
  links = new ShareLinks({
    requests: fixture.requests,
    endpoint: `${BASE}/api/v1/shares`,
    account: { state: fixture.account },
    isOwnAddress: (address) => address.startsWith(`${BASE}/`),
  });
});

describe('a link', () => {
  it.each<[string, ShareTarget, string | undefined, object]>([
    ['a project', PROJECT, undefined, { project: 'p-1', days: 30 }],
    [
      'photos',
      { uploads: ['u-1', 'u-2'] },
      'secret words',
      { uploads: ['u-1', 'u-2'], days: 30, password: 'secret words' },
    ],
  ])('is made for %s', async (_name, target, password, body) => {
    const made = outcomeOf(links.create(target, { days: 30, ...(password && { password }) }));
    const exchange = await fixture.next('POST /api/v1/shares');
    expect(JSON.parse(exchange.request.body as string)).toEqual(body);
    exchange.respond(201, {}, ANSWER);
    await fixture.clock.settle();
    expect(made.value).toEqual(LINK);
  });

  it('is not made twice when the answer is lost', async () => {
    const made = outcomeOf(links.create(PROJECT, { days: 30 }));
    (await fixture.next('POST /api/v1/shares')).respond(503);
    await fixture.clock.advance(60_000);
    expect(made.error).toMatchObject({ code: 'CW-303' });
    expect(fixture.network.exchanges).toHaveLength(1);
  });

  it.each([
    ['on another origin', { url: 'https://elsewhere.example/s/abc' }],
    ['without an address', { url: undefined }],
    ['with an id that is none', { id: 'a/b' }],
  ])('%s is no link', async (_name, change) => {
    const made = outcomeOf(links.create(PROJECT, { days: 30 }));
    (await fixture.next('POST /api/v1/shares')).respond(201, {}, { ...ANSWER, ...change });
    await fixture.clock.settle();
    expect(made.error).toMatchObject({ code: 'CW-305' });
  });

  it.each([
    [403, 'insufficient_scope', 'CW-203', 'needs-permission'],
    [422, 'unknown_project', 'CW-614', 'unknown'],
    [404, 'not_found', 'CW-614', 'unsupported'],
    [405, 'method_not_allowed', 'CW-614', 'unsupported'],
    [507, 'insufficient_storage', 'CW-606', 'unknown'],
  ])('refused with %d %s fails with %s', async (status, error, code, access) => {
    const made = outcomeOf(links.create(PROJECT, { days: 30 }));
    (await fixture.next('POST /api/v1/shares')).respond(status, {}, { error });
    await fixture.clock.settle();
    expect(made.error).toMatchObject({ code });
    expect(links.access.get()).toBe(access);
  });

  it.each([204, 404])('is ended, also if the service answers %d', async (status) => {
    const ended = outcomeOf(links.revoke('s-1'));
    (await fixture.next('DELETE /api/v1/shares/s-1')).respond(status, {}, { error: 'not_found' });
    await fixture.clock.settle();
    expect(ended.state).toBe('resolved');
  });
});

describe('the list of links', () => {
  it.each<[string, ShareTarget | null]>([
    ['?project=p-1', PROJECT],
    ['?upload=u-1', { uploads: ['u-1', 'u-2'] }],
    ['', null],
  ])('is requested with "%s"', async (query, target) => {
    const listed = outcomeOf(links.list(target));
    const older = { ...ANSWER, id: 's-0', created: '2026-11-21T12:00:00Z' };
    const exchange = await fixture.next(`GET /api/v1/shares${query}`);
    exchange.respond(200, {}, { shares: [older, { ...ANSWER, url: 'x' }, ANSWER] });
    await fixture.clock.settle();
    expect(listed.value?.map(({ id }) => id)).toEqual(['s-1', 's-0']);
  });

  it('fails for an answer that has none', async () => {
    const listed = outcomeOf(links.list());
    (await fixture.next('GET /api/v1/shares')).respond(200, {}, {});
    await fixture.clock.settle();
    expect(listed.error).toMatchObject({ code: 'CW-305' });
  });
});

it.each([
  [null, 'unknown'],
  [['uploads:write'], 'needs-permission'],
  [['uploads:write', 'shares:write'], 'ready'],
])('with the scopes %j, access is %s', (scopes, access) => {
  fixture.account.set(accountWith(scopes));
  expect(links.access.get()).toBe(access);
});
