import { beforeEach, describe, expect, it } from '@jest/globals';
import { ownerOf } from '../../../src/account/owner.js';
import { BASIC_CAPABILITIES } from '../../../src/api/capabilities.js';
import {
  Destinations,
  type DestinationState,
} from '../../../src/features/destinations/destinations.js';
import type { ProjectRef } from '../../../src/api/project.js';
import { PhotoStore } from '../../../src/features/queue/photo-store.js';
import { knownToDo } from '../../support/capabilities.js';
import { memoryRecords, memorySpool, MemoryStorage } from '../../support/memory-host.js';
import { outcomeOf } from '../../support/outcome.js';
import { accountWith, ApiFixture, BASE } from '../api-fixture.js';

const LIST = 'GET /api/v1/projects';
const CREATE = 'POST /api/v1/projects';
const SCOPES = ['uploads:write', 'projects:write'];
const SPRING: ProjectRef = { id: 'p-1', name: 'Spring wedding' };
const AUTUMN: ProjectRef = { id: 'p-2', name: 'Autumn' };
const UPDATED = '2026-11-22T12:00:00.000Z';
const ANSWER = {
  projects: [
    { ...SPRING, photos: 32, updated: UPDATED, archived: false },
    { id: 'p-3', name: 'Old', photos: 1, updated: UPDATED, archived: true },
    AUTUMN,
    { id: 'p 4', name: 'An id that is none' },
    { id: 'p-5' },
  ],
};

/** The destinations of the connected account, over a storage that outlives them. */
class DestinationFixture {
  readonly storage = new MemoryStorage();
  /** The connected account; null when there is none. */
  session: string | null = 's1';
  hasProjects = true;
  destinations: Destinations;

  constructor(readonly api: ApiFixture) {
    this.destinations = this.open();
  }

  get state(): DestinationState {
    return this.destinations.state.get();
  }

  open(): Destinations {
    const { account, requests, clock } = this.api;
    const records = memoryRecords(this.storage);
    void records.load();
    const spool = memorySpool(this.storage);
    const photoStore = new PhotoStore({
      records,
      spool,
      now: () => clock.now(),
      newId: () => 'id',
    });
    return new Destinations({
      requests,
      capabilities: {
        get: () => knownToDo({ ...BASIC_CAPABILITIES, projectDestination: this.hasProjects }).get(),
      },
      endpoint: `${BASE}/api/v1/projects`,
      account: { state: account },
      owner: {
        get: () => (this.session === null ? null : ownerOf(account.get(), this.session)),
      },
      records,
      photoStore,
    });
  }

  /** A start after a kill. */
  restart(): void {
    this.destinations = this.open();
    this.destinations.restore(this.storage.records);
  }

  /** The service reports the account, and gives its projects. */
  async ready(): Promise<void> {
    this.destinations.restore(this.storage.records);
    this.api.account.set(accountWith(SCOPES));
    await this.answer();
  }

  async answer(answer: object = ANSWER): Promise<void> {
    (await this.api.next(LIST)).respond(200, {}, answer);
    await this.api.clock.settle();
  }

  /** Another session begins, of this account. */
  async connect(username: string, session: string): Promise<void> {
    this.session = session;
    this.api.account.set(null);
    this.destinations.onSignedIn();
    this.api.account.set(accountWith(SCOPES, username));
    await this.answer();
  }
}

let fixture: DestinationFixture;

beforeEach(async () => {
  fixture = new DestinationFixture(await ApiFixture.create());
});

describe('the projects', () => {
  it('are loaded once the session is known to have the scope, without archived ones', async () => {
    await fixture.ready();
    expect(fixture.state).toEqual({
      availability: 'ready',
      projects: [
        { ...SPRING, photos: 32, updated: Date.parse(UPDATED) },
        { ...AUTUMN, photos: null, updated: null },
      ],
      selected: null,
      isLoading: false,
      error: null,
    });
  });

  it('are loaded when there are as many as a workspace may have, with the longest names', async () => {
    const many = Array.from({ length: 1000 }, (_, at) => ({
      id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      name: '結'.repeat(80),
      archived: false,
      created: '2026-11-25T12:00:00.000Z',
      updated: '2026-11-25T12:00:00.000Z',
      photos: 10_000,
    }));
    fixture.api.account.set(accountWith(SCOPES));
    await fixture.answer({ projects: many });
    expect(fixture.destinations.state.get()).toMatchObject({ availability: 'ready', error: null });
    expect(fixture.destinations.state.get().projects).toHaveLength(1000);
  });

  it('share one request', async () => {
    await fixture.ready();
    const both = [fixture.destinations.load(), fixture.destinations.load()];
    expect(fixture.state.isLoading).toBe(true);
    await fixture.answer();
    await Promise.all(both);
    expect(fixture.state.isLoading).toBe(false);
  });

  it('are not requested without the scope', async () => {
    fixture.api.account.set(accountWith(['uploads:write', 'workspace:read']));
    await fixture.destinations.load();
    expect(fixture.state.availability).toBe('needs-permission');
    expect(fixture.api.network.exchanges).toEqual([]);
  });

  it('are not requested from a service that announces none', async () => {
    fixture.hasProjects = false;
    await fixture.destinations.load();
    expect(fixture.state.availability).toBe('unsupported');
    expect(fixture.api.network.exchanges).toEqual([]);
  });

  it('are not requested while nobody is connected', async () => {
    fixture.session = null;
    await fixture.destinations.load();
    expect(fixture.state.availability).toBe('unknown');
    expect(fixture.api.network.exchanges).toEqual([]);
  });

  it.each([
    [403, 'needs-permission'],
    [404, 'unsupported'],
    [405, 'unsupported'],
  ])('answered with %d are %s', async (status, availability) => {
    const loading = fixture.destinations.load();
    (await fixture.api.next(LIST)).respond(status, {}, { error: 'insufficient_scope' });
    await loading;
    expect(fixture.state).toMatchObject({ availability, error: null });
  });

  it.each<[string, number, object, string]>([
    ['a refusal', 400, { error: 'invalid_request' }, 'CW-603'],
    ['an answer without projects', 200, {}, 'CW-305'],
  ])('stay as they were after %s', async (_name, status, body, code) => {
    await fixture.ready();
    const loading = fixture.destinations.load();
    (await fixture.api.next(LIST)).respond(status, {}, body);
    await loading;
    expect(fixture.state).toMatchObject({ availability: 'ready', error: { code } });
    expect(fixture.state.projects).toHaveLength(2);
  });

  it('of another session are loaded again', async () => {
    await fixture.ready();
    void fixture.destinations.load();
    const late = await fixture.api.next(LIST);
    fixture.session = 's2';
    fixture.api.account.set(accountWith(SCOPES, 'ben'));
    late.respond(200, {}, { projects: [SPRING] });
    await fixture.answer({ projects: [AUTUMN] });
    expect(fixture.state.projects.map(({ id }) => id)).toEqual(['p-2']);
  });
});

describe('the selection', () => {
  beforeEach(() => fixture.ready());

  it('survives a restart', async () => {
    await fixture.destinations.select(SPRING);
    fixture.restart();
    expect(fixture.destinations.forNewPhotos()).toEqual(SPRING);
    expect(fixture.state.selected).toEqual(SPRING);
  });

  it('made before storage was read is stored then', async () => {
    fixture.destinations = fixture.open();
    await fixture.destinations.select(AUTUMN);
    expect(fixture.storage.records.size).toBe(0);
    fixture.destinations.restore(new Map());
    await fixture.api.clock.settle();
    fixture.restart();
    expect(fixture.state.selected).toEqual(AUTUMN);
  });

  it('is remembered for each document', async () => {
    fixture.destinations.setDocument('xmp.did:1');
    await fixture.destinations.select(SPRING);
    fixture.destinations.setDocument('xmp.did:2');
    // A document without a choice gets the last one.
    expect(fixture.state.selected).toEqual(SPRING);
    await fixture.destinations.select(null);
    fixture.restart();
    expect(fixture.state.selected).toBeNull();
    fixture.destinations.setDocument('xmp.did:1');
    expect(fixture.state.selected).toEqual(SPRING);
    fixture.destinations.setDocument('xmp.did:2');
    expect(fixture.state.selected).toBeNull();
  });

  it('is remembered for the newest 200 documents', async () => {
    for (let number = 0; number <= 200; number += 1) {
      fixture.destinations.setDocument(`d-${number}`);
      await fixture.destinations.select(number === 200 ? null : SPRING);
    }
    fixture.restart();
    fixture.destinations.setDocument('d-0');
    expect(fixture.state.selected).toBeNull();
    fixture.destinations.setDocument('d-1');
    expect(fixture.state.selected).toEqual(SPRING);
  });

  it('of another account is not used', async () => {
    await fixture.destinations.select(SPRING);
    await fixture.connect('ben', 's2');
    expect(fixture.state.selected).toBeNull();
    await fixture.destinations.select(AUTUMN);
    fixture.restart();
    expect(fixture.state.selected).toEqual(AUTUMN);
  });

  it('stays for another session of the same account', async () => {
    await fixture.destinations.select(SPRING);
    await fixture.connect('anna', 's2');
    expect(fixture.state.selected).toEqual(SPRING);
  });

  it('stays while the session has only ended, and not after a sign-out', async () => {
    await fixture.destinations.select(SPRING);
    fixture.session = null;
    fixture.api.account.set(null);
    expect(fixture.destinations.forNewPhotos()).toEqual(SPRING);
    fixture.destinations.onSignedOut();
    expect(fixture.destinations.forNewPhotos()).toBeNull();
  });

  it('ends when the project is archived', async () => {
    await fixture.destinations.select(SPRING);
    void fixture.destinations.load();
    await fixture.answer({ projects: [AUTUMN] });
    expect(fixture.state.selected).toBeNull();
  });

  it('has the present name of the project', async () => {
    await fixture.destinations.select(SPRING);
    void fixture.destinations.load();
    await fixture.answer({ projects: [{ ...SPRING, name: 'Renamed' }] });
    expect(fixture.state.selected).toEqual({ id: 'p-1', name: 'Renamed' });
  });

  it('is not used at a service without projects', async () => {
    await fixture.destinations.select(SPRING);
    fixture.hasProjects = false;
    await fixture.destinations.load();
    expect(fixture.destinations.forNewPhotos()).toBeNull();
  });

  it.each([
    'x',
    '{}',
    '{"version":1}',
    '{"version":1,"owner":7,"last":{"id":"p 1","name":"x"},"documents":[7,["é",null]]}',
  ])('cannot be read from %j', (text) => {
    fixture.storage.records.set('destinations', text);
    fixture.restart();
    expect(fixture.state.selected).toBeNull();
  });
});

describe('a new project', () => {
  beforeEach(() => fixture.ready());

  it('is the first of the list', async () => {
    const created = outcomeOf(fixture.destinations.create('Autumn 2'));
    const exchange = await fixture.api.next(CREATE);
    expect(exchange.request.body).toBe('{"name":"Autumn 2"}');
    exchange.respond(201, {}, { id: 'p-9', name: 'Autumn 2', archived: false });
    await fixture.api.clock.settle();
    expect(created.value).toEqual({ id: 'p-9', name: 'Autumn 2' });
    expect(fixture.state.projects.map(({ id }) => id)).toEqual(['p-9', 'p-1', 'p-2']);
  });

  it('whose name is taken is the project that has it', async () => {
    const created = outcomeOf(fixture.destinations.create(' autumn'));
    (await fixture.api.next(CREATE)).respond(409, {}, { error: 'name_taken' });
    await fixture.answer();
    expect(created.value).toEqual(AUTUMN);
  });

  it('whose name an archived project has fails with CW-613', async () => {
    const created = outcomeOf(fixture.destinations.create('Old'));
    (await fixture.api.next(CREATE)).respond(409, {}, { error: 'name_taken' });
    await fixture.answer();
    expect(created.error).toMatchObject({ code: 'CW-613' });
  });

  it.each([
    [409, 'too_many_projects', 'CW-613', 'ready'],
    [400, 'invalid_request', 'CW-613', 'ready'],
    [403, 'insufficient_scope', 'CW-203', 'needs-permission'],
    [503, 'busy', 'CW-303', 'ready'],
  ])('refused with %d %s fails with %s', async (status, error, code, availability) => {
    const created = outcomeOf(fixture.destinations.create('New'));
    (await fixture.api.next(CREATE)).respond(status, {}, { error });
    await fixture.api.clock.settle();
    expect(created.error).toMatchObject({ code });
    expect(fixture.state.availability).toBe(availability);
  });
});
