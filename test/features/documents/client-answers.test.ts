import { beforeEach, describe, expect, it } from '@jest/globals';
import { BASIC_CAPABILITIES } from '../../../src/api/capabilities.js';
import { ClientAnswers } from '../../../src/features/documents/client-answers.js';
import type { PendingExchange } from '../../support/conversation.js';
import { ApiFixture, BASE } from '../api-fixture.js';

const PAGE = `${BASE}/photos/p1`;
const APPROVAL = {
  version: 3,
  sha256: 'a'.repeat(64),
  at: '2026-11-22T12:00:00Z',
  is_current: true,
};
const UPLOAD = { approval: APPROVAL, page: PAGE };
const SAID = {
  approval: {
    version: 3,
    sha256: 'a'.repeat(64),
    at: Date.parse('2026-11-22T12:00:00Z'),
    isCurrent: true,
  },
  pageUrl: PAGE,
};

let fixture: ApiFixture;
let answers: ClientAnswers;
let photoVersions: boolean;
let owner: string;

beforeEach(async () => {
  fixture = await ApiFixture.create();
  photoVersions = true;
  owner = 'anna';
  answers = new ClientAnswers({
    requests: fixture.requests,
    capabilities: { get: () => Promise.resolve({ ...BASIC_CAPABILITIES, photoVersions }) },
    endpoint: `${BASE}/api/v1/uploads`,
    owner: { get: () => ({ keys: [owner], workspace: null }) },
    isOwnAddress: (address) => address.startsWith(`${BASE}/`),
    clock: fixture.clock,
  });
});

const next = (document = 'xmp.did%3A1'): Promise<PendingExchange> =>
  fixture.next(`GET /api/v1/uploads?document=${document}&limit=100`);

async function respond(status: number, body: object, document?: string): Promise<void> {
  (await next(document)).respond(status, {}, body);
  await fixture.clock.settle();
}

it('shows what was said about a document until another answer arrives', async () => {
  answers.load('xmp.did:1');
  await respond(200, { uploads: [UPLOAD] });
  expect(answers.of('xmp.did:1')).toEqual([SAID]);
  expect(answers.of('xmp.did:2')).toEqual([]);
  answers.load('xmp.did:1');
  expect(answers.of('xmp.did:1')).toEqual([SAID]);
  await respond(200, { uploads: [] });
  expect(answers.of('xmp.did:1')).toEqual([]);
});

it('drops the request for a document that is no longer in front', async () => {
  answers.load('xmp.did:1');
  await fixture.clock.settle();
  answers.load('d2');
  await respond(200, { uploads: [UPLOAD] }, 'd2');
  expect(answers.of('d2')).toEqual([SAID]);
});

it('shows another account nothing', async () => {
  answers.load('xmp.did:1');
  await respond(200, { uploads: [UPLOAD] });
  owner = 'ben';
  expect(answers.of('xmp.did:1')).toEqual([]);
});

it.each([
  ['an error', 503, {}],
  ['a service without the list', 404, { error: 'not_found' }],
  ['another answer', 200, { uploads: 'none' }],
])('keeps what is known after %s', async (_name, status, body) => {
  answers.load('xmp.did:1');
  await respond(200, { uploads: [UPLOAD] });
  answers.load('xmp.did:1');
  await respond(status, body);
  expect(answers.of('xmp.did:1')).toEqual([SAID]);
  expect(fixture.requests.state.get()).toEqual({ kind: 'closed' });
});

it('reads no more than it can use', async () => {
  answers.load('xmp.did:1');
  await respond(200, {
    uploads: [
      'no upload',
      { approval: null, page: PAGE },
      { approval: { version: 0 } },
      { approval: { version: 1 }, page: 'https://elsewhere.example/photos/p1' },
    ],
  });
  expect(answers.of('xmp.did:1')).toEqual([
    {
      approval: { version: 1, sha256: null, at: 0, isCurrent: false },
      pageUrl: null,
    },
  ]);
});

describe('an export that depends on them', () => {
  it('gets the answers of now, whatever is known', async () => {
    answers.load('xmp.did:1');
    await respond(200, { uploads: [UPLOAD] });
    const latest = answers.latest('xmp.did:1');
    await respond(200, { uploads: [] });
    expect(await latest).toEqual([]);
    expect(answers.of('xmp.did:1')).toEqual([]);
  });

  it.each([
    ['an error', 503, {}, 'CW-303'],
    ['a refusal', 403, { error: 'insufficient_scope' }, 'CW-303'],
    ['another answer', 200, { uploads: 'none' }, 'CW-303'],
  ])('fails after %s', async (_name, status, body, code) => {
    const latest = expect(answers.latest('xmp.did:1')).rejects.toMatchObject({ code });
    await respond(status, body);
    await latest;
  });

  it('gets none from a service without the list', async () => {
    const latest = answers.latest('xmp.did:1');
    await respond(404, { error: 'not_found' });
    expect(await latest).toEqual([]);
    photoVersions = false;
    expect(await answers.latest('xmp.did:1')).toEqual([]);
  });

  it('waits for an answer no longer than 15 seconds', async () => {
    const latest = expect(answers.latest('xmp.did:1')).rejects.toMatchObject({ code: 'CW-301' });
    await next();
    await fixture.clock.advance(15_000);
    await latest;
  });
});

it('requests nothing from a service without versions', async () => {
  photoVersions = false;
  answers.load('xmp.did:1');
  await fixture.clock.settle();
  expect(fixture.network.exchanges).toEqual([]);
});

it('keeps the answers for the last fifty documents', async () => {
  for (let number = 0; number <= 50; number += 1) {
    answers.load(`d${number}`);
    await respond(200, { uploads: [UPLOAD] }, `d${number}`);
  }
  expect([answers.of('d0'), answers.of('d1'), answers.of('d50')]).toEqual([[], [SAID], [SAID]]);
});
