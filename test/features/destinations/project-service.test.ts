import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PersonalTokens } from '../../../service/identity/accounts/personal-access-tokens.js';
import type { Scope } from '../../../service/identity/scopes.js';
import { ownerOf } from '../../../src/account/owner.js';
import { RequestQueue } from '../../../src/api/request-queue.js';
import { createTransport } from '../../../src/api/transport.js';
import { CapabilityProbe } from '../../../src/api/tus-capabilities.js';
import { NEVER_CANCELLED } from '../../../src/util/cancel.js';
import { Observable } from '../../../src/util/observable.js';
import { Destinations } from '../../../src/features/destinations/destinations.js';
import type { ProjectRef } from '../../../src/api/project.js';
import { findKnownUploads } from '../../../src/features/duplicates/duplicate-api.js';
import type { PhotoRecord } from '../../../src/features/queue/photo-record.js';
import { PhotoStore } from '../../../src/features/queue/photo-store.js';
import { ShareLinks, type ShareLink } from '../../../src/features/links/share-links.js';
import { NewVersions } from '../../../src/features/uploads/undoable-versions.js';
import { uploadPhoto } from '../../../src/features/uploads/tus/tus-upload.js';
import { signedInSession, testClient } from '../../api/signed-in.js';
import { startTestService, type TestService } from '../../service/support/running-service.js';
import { FakeClock } from '../../support/fake-clock.js';
import { memoryRecords, memorySpool, MemoryStorage } from '../../support/memory-host.js';
import { NodeXhr } from '../../support/node-xhr.js';
import { outcomeOf } from '../../support/outcome.js';
import { readerBy } from '../../support/reader-by.js';
import { accountWith } from '../api-fixture.js';
import { photoRecord } from '../../support/photo-record.js';

const SCOPES: readonly Scope[] = [
  'uploads:write',
  'uploads:read',
  'projects:write',
  'shares:write',
];

let service: TestService;
let uploads: string;
let clock: FakeClock;
let made = 0;
let tokensMade = 0;

beforeAll(async () => {
  service = await startTestService();
  uploads = `${service.baseUrl}/api/v1/uploads`;
});
afterAll(() => service.close());
beforeEach(() => {
  clock = new FakeClock();
});

/** The requests of a session with these scopes. */
async function connect(scopes: readonly Scope[] = SCOPES): Promise<RequestQueue> {
  const client = testClient(service.baseUrl);
  const send = createTransport({ createXhr: () => new NodeXhr(), clock, origin: client.origin });
  const [member] = await service.database.query<{ account_id: string; workspace_id: string }>(
    'SELECT account_id, workspace_id FROM workspace_members LIMIT 1',
  );
  const tokens = new PersonalTokens(service.database, () => new Date());
  const accessToken = await tokens.create(member?.account_id ?? '', {
    workspaceId: member?.workspace_id ?? '',
    name: `Token ${(tokensMade += 1)}`,
    scopes,
    days: 7,
  });
  const session = await signedInSession({
    send,
    client,
    clock,
    accessToken: accessToken ?? '',
    refreshToken: null,
  });
  return new RequestQueue({ send, session, clock, random: () => 0 });
}

function destinationsOf(requests: RequestQueue): Destinations {
  const records = memoryRecords(new MemoryStorage());
  const spool = memorySpool(new MemoryStorage());
  const account = accountWith(SCOPES);
  return new Destinations({
    requests,
    capabilities: new CapabilityProbe({ queue: requests, endpoint: uploads }),
    endpoint: `${service.baseUrl}/api/v1/projects`,
    account: { state: new Observable(account) },
    owner: { get: () => ownerOf(account, 's1') },
    records,
    photoStore: new PhotoStore({ records, spool, now: () => 0, newId: () => 'id' }),
  });
}

/** Uploads a photo, and gives its id at the service. */
async function upload(
  requests: RequestQueue,
  more: Partial<PhotoRecord>,
  versions?: NewVersions,
): Promise<string> {
  made += 1;
  const bytes = new Uint8Array(Buffer.from(`photo ${made}`));
  const record = photoRecord(`photo-${made}`.padEnd(32, '-'), bytes.length, more);
  const done = uploadPhoto({
    queue: requests,
    capabilities: new CapabilityProbe({ queue: requests, endpoint: uploads }),
    endpoint: uploads,
    record,
    reader: readerBy((start, end) => Promise.resolve(bytes.slice(start, end).buffer)),
    chunkBytes: 1_000,
    clock,
    random: () => 0,
    signal: NEVER_CANCELLED,
    onProgress: () => undefined,
    onUploadUrl: () => Promise.resolve(),
    onRestart: () => Promise.resolve(),
  });
  const outcome = outcomeOf(done);
  await clock.runUntil(() => outcome.state !== 'pending');
  versions?.add(record, await done);
  return (await done).uploadId ?? '';
}

/** An upload as the service shows it. */
async function stored(requests: RequestQueue, id: string): Promise<Record<string, unknown>> {
  const done = requests.send({
    method: 'GET',
    url: `${uploads}/${id}`,
    headers: {},
    repeatable: false,
  });
  await clock.runUntil(done);
  return JSON.parse((await done).text) as Record<string, unknown>;
}

describe('the real service', () => {
  let requests: RequestQueue;
  let project: ProjectRef;

  beforeEach(async () => {
    requests = await connect();
    const destinations = destinationsOf(requests);
    project = (await clock.runUntil(destinations.create('Spring wedding'))) ?? { id: '', name: '' };
  });

  it('lists the project that was created, and gives it again when its name is taken', async () => {
    const destinations = destinationsOf(requests);
    await clock.runUntil(destinations.load());
    const { availability, projects } = destinations.state.get();
    expect(availability).toBe('ready');
    expect(projects.map(({ id, name }) => ({ id, name }))).toEqual([project]);
    expect(await clock.runUntil(destinations.create('spring Wedding'))).toEqual(project);
  });

  it('takes a photo to its project, and keeps another one of the same name apart', async () => {
    const ids = [await upload(requests, { project }), await upload(requests, { project })];
    for (const id of ids) {
      expect(await stored(requests, id)).toMatchObject({ project, current: true, versions: [] });
    }
  });

  it('makes an export of the same document a new version, whatever its name is', async () => {
    // Unique names: a photo with a document may also replace one of the same name.
    const document = 'xmp.did:1';
    const first = await upload(requests, { project, document, name: 'dunes.jpg' });
    const second = await upload(requests, { document, name: 'dunes 2.jpg', byDocument: true });
    expect(await stored(requests, second)).toMatchObject({
      project,
      current: true,
      versions: [{ id: first, current: false }],
    });
  });

  it('keeps twelve crops of one document apart, and shows a later version of one with Undo', async () => {
    const document = 'xmp.did:crops';
    const crops: string[] = [];
    for (let n = 1; n <= 12; n += 1) {
      crops.push(await upload(requests, { document, name: `crop ${n}.jpg` }));
    }
    for (const id of crops) {
      expect(await stored(requests, id)).toMatchObject({ current: true, versions: [] });
    }
    const versions = new NewVersions({ requests, endpoint: uploads });
    const again = await upload(requests, { document, name: 'Crop 3.JPG' }, versions);
    expect(await stored(requests, again)).toMatchObject({ versions: [{ id: crops[2] }] });
    expect(versions.shown.get()).toEqual([{ number: 2, of: 'crop 3.jpg', uploadId: again }]);
    await clock.runUntil(versions.undo([again]));
    expect(versions.shown.get()).toEqual([]);
    for (const id of [again, crops[2] ?? '']) {
      expect(await stored(requests, id)).toMatchObject({ current: true, versions: [] });
    }
  });

  it('names the earlier version that a photo replaces', async () => {
    const name = 'harbour.jpg';
    const first = await upload(requests, { project, name });
    const file = { name, size: 7, document: null, project };
    const finding = findKnownUploads(requests, uploads, [file], true, NEVER_CANCELLED);
    await clock.runUntil(finding);
    const [earlier] = (await finding)?.previous ?? [];
    expect(earlier).toMatchObject({ name, id: first, project, match: 'name' });
    const second = await upload(requests, { project, name, replaces: first });
    expect(await stored(requests, second)).toMatchObject({
      current: true,
      versions: [{ id: first }],
    });
  });

  it('makes, lists and ends a link to the project', async () => {
    await upload(requests, { project });
    const links = new ShareLinks({
      requests,
      endpoint: `${service.baseUrl}/api/v1/shares`,
      account: { state: new Observable(null) },
      isOwnAddress: (address) => address.startsWith(`${service.baseUrl}/`),
    });
    const target = { project: project.id };
    const making = links.create(target, { days: 30 });
    await clock.runUntil(making);
    const link = await making;
    expect(link).toMatchObject({ project, hasPassword: false, created: expect.any(Number) });
    const listed = async (): Promise<readonly ShareLink[]> => {
      const listing = links.list(target);
      await clock.runUntil(listing);
      return listing;
    };
    expect(await listed()).toEqual([link]);
    await clock.runUntil(links.revoke(link.id));
    expect(await listed()).toEqual([]);
  });

  it.each<[string, readonly Scope[], ProjectRef | null, string, string | undefined]>([
    ['an unknown project', SCOPES, { id: 'unknown', name: 'Gone' }, 'CW-612', undefined],
    ['a project without the scope', ['uploads:write'], null, 'CW-203', 'insufficient_scope'],
  ])('refuses %s', async (_name, scopes, other, code, oauthError) => {
    const session = await connect(scopes);
    await expect(upload(session, { project: other ?? project })).rejects.toMatchObject({
      code,
      oauthError,
    });
  });
});
