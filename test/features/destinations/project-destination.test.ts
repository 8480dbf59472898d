import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ProjectRef } from '../../../src/api/project.js';
import type { PendingExchange } from '../../support/conversation.js';
import {
  DuplicateCheckFixture,
  filesOf,
  isQuestion,
} from '../duplicates/duplicate-check-fixture.js';
import { textOf } from '../fixture.js';
import { metadataOf } from '../uploads/upload-metadata.js';

const SPRING: ProjectRef = { id: 'p-1', name: 'Spring wedding' };
const AUTUMN: ProjectRef = { id: 'p-2', name: 'Autumn' };

/** Uploads to a service with projects. */
class ProjectFixture extends DuplicateCheckFixture {
  override more = { projectDestination: true };
  /** How the service refuses the creation of a photo in a project, by the project's id. */
  refusals: Record<string, { readonly status: number; readonly error: string }> = {};
  /** The project of each creation that was answered, by its file name; the last one counts. */
  readonly created: Record<string, string | undefined> = {};
  creations = 0;

  override respond(exchange: PendingExchange): void {
    const { filename = '', project } = metadataOf(exchange);
    const refusal = project === undefined ? undefined : this.refusals[project];
    if (exchange.request.method === 'POST') {
      this.creations += 1;
      this.created[filename] = project;
    }
    if (refusal) exchange.respond(refusal.status, {}, { error: refusal.error });
    else super.respond(exchange);
  }

  /** Responds to requests, but loses the response to each completed creation. */
  async loseCreations(): Promise<void> {
    await this.clock.settle();
    for (const exchange of this.network.open) {
      if (isQuestion(exchange)) this.answer(exchange, filesOf(exchange));
      else this.service.handle('anna', exchange);
    }
    await this.clock.settle();
  }
}

describe('a photo that goes to a project', () => {
  let fixture: ProjectFixture;

  beforeEach(async () => {
    fixture = new ProjectFixture();
    await fixture.begin();
  });

  it('is created in the project that was chosen when it was added', async () => {
    fixture.project = SPRING;
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    fixture.project = null;
    await fixture.add('b');
    expect(fixture.created).toEqual({ 'a.jpg': 'p-1', 'b.jpg': undefined });
  });

  it('keeps its project over a restart', async () => {
    fixture.project = SPRING;
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    fixture.project = AUTUMN;
    await fixture.begin();
    await fixture.answerAll();
    expect(fixture.created).toEqual({ 'a.jpg': 'p-1' });
  });

  it.each([1, 2])('keeps its project when it is found after a kill at step %d', async (steps) => {
    fixture.project = SPRING;
    fixture.storage.dieAfter(steps);
    void fixture.uploads.addPhotos([fixture.photo('a')]);
    await fixture.clock.settle();
    fixture.project = AUTUMN;
    await fixture.begin();
    await fixture.answerAll();
    // The copy is complete after the second step: the note about the photo, then its bytes.
    expect(fixture.created).toEqual(steps === 1 ? {} : { 'a.jpg': 'p-1' });
    expect(fixture.uploads.state.get()).toMatchObject({
      orphans: 0,
      notAdded: steps === 1 ? ['a.jpg'] : [],
    });
  });

  it('is created without the project at a service that has none', async () => {
    fixture.more = { projectDestination: false };
    await fixture.begin();
    fixture.project = SPRING;
    await fixture.add('a');
    expect(fixture.created).toEqual({ 'a.jpg': undefined });
  });

  describe('whose project no longer exists', () => {
    beforeEach(async () => {
      fixture.refusals = { 'p-1': { status: 422, error: 'unknown_project' } };
      fixture.project = SPRING;
      await fixture.add('a', 'b');
    });

    it('fails with CW-612 and is kept', () => {
      expect(fixture.standing()).toEqual(['a.jpg failed CW-612', 'b.jpg failed CW-612']);
    });

    it.each([
      ['another project', AUTUMN, 'p-2'],
      ['no project', null, undefined],
    ])('is uploaded once it goes to %s', async (_name, project, id) => {
      const ids = ['a', 'b'].map((text) => fixture.idOf(text));
      await fixture.uploads.setDestination(ids, project);
      await fixture.answerAll();
      expect(fixture.created).toEqual({ 'a.jpg': id, 'b.jpg': id });
      expect(fixture.arrived()).toEqual(['a', 'b']);
    });

    it('is tried again in the same project when that is chosen again', async () => {
      fixture.refusals = {};
      await fixture.uploads.setDestination([fixture.idOf('a')], SPRING);
      await fixture.answerAll();
      expect(fixture.arrived()).toEqual(['a']);
    });
  });

  describe('while the session lacks the scope', () => {
    const refused = { status: 403, error: 'insufficient_scope' };

    beforeEach(async () => {
      fixture.refusals = { 'p-1': refused };
      fixture.project = SPRING;
      await fixture.uploads.addPhotos(['a', 'b', 'c', 'd'].map((text) => fixture.photo(text)));
      fixture.project = null;
      await fixture.add('e');
    });

    it('waits without further requests, while other photos are uploaded', () => {
      expect(fixture.standing()).toEqual([
        'a.jpg waiting',
        'b.jpg waiting',
        'c.jpg waiting',
        'd.jpg waiting',
        'e.jpg uploaded',
      ]);
      // The first photo of the project, and the one without a project.
      expect(fixture.creations).toBe(2);
      expect(fixture.uploads.state.get().waitingForPermission).toBe(4);
    });

    it('is uploaded in its turn once another session has begun', async () => {
      fixture.refusals = {};
      fixture.account = 'anna';
      fixture.uploads.onSignedIn();
      await fixture.answerAll();
      expect(fixture.uploads.state.get().waitingForPermission).toBe(0);
      expect(fixture.arrived()).toEqual(['e', 'a', 'b', 'c', 'd']);
    });

    it('is uploaded once another session has replaced the first', async () => {
      const { ownership } = fixture.uploads;
      await ownership.beforeSwitch();
      fixture.refusals = {};
      fixture.account = 'anna';
      await ownership.afterSwitch();
      await fixture.uploads.answerQuestion(true);
      await fixture.answerAll();
      expect(fixture.arrived()).toEqual(['e', 'a', 'b', 'c', 'd']);
    });

    it('is uploaded without a project when the user chooses that', async () => {
      await fixture.uploads.setDestination([fixture.idOf('b')], null);
      await fixture.answerAll();
      expect(fixture.arrived()).toEqual(['e', 'b']);
      expect(fixture.uploads.state.get().waitingForPermission).toBe(3);
    });

    it('is tried again after a restart', async () => {
      fixture.refusals = {};
      await fixture.begin();
      await fixture.answerAll();
      expect(fixture.arrived().sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    });
  });

  it('fails with CW-203 for any other refused access', async () => {
    fixture.refusals = { 'p-1': { status: 403, error: 'access_denied' } };
    fixture.project = SPRING;
    await fixture.add('a');
    expect(fixture.standing()).toEqual(['a.jpg failed CW-203']);
  });

  describe('whose project changes', () => {
    const long = 'a photo of more than one chunk';

    it('stays where its upload has begun', async () => {
      fixture.project = SPRING;
      await fixture.uploads.addPhotos([fixture.photo(long)]);
      await fixture.loseCreations();
      const id = fixture.idOf(long);
      await fixture.uploads.setDestination([id], AUTUMN);
      expect(fixture.list.get(id)?.record.project).toEqual(SPRING);
    });

    it.each([
      ['begun an upload', long],
      ['brought the whole photo', 'a'],
    ])('stays in it when a creation whose answer was lost has %s', async (_what, name) => {
      fixture.project = SPRING;
      await fixture.uploads.addPhotos([fixture.photo(name)]);
      const id = fixture.idOf(name);
      await fixture.loseCreations();
      await fixture.loseCreations();
      expect(fixture.service.hasBegun('anna', id)).toBe(true);
      // After a kill, no address shows that the upload has begun.
      await fixture.begin();
      fixture.uploads.pause();
      await fixture.uploads.setDestination([id], AUTUMN);
      expect(fixture.list.get(id)?.record.project).toEqual(SPRING);
      fixture.uploads.resume();
      await fixture.answerAll();
      expect(fixture.arrived()).toEqual([name]);
      const uploads = [...fixture.service.uploadsOf('anna').values()];
      expect(uploads.map(({ project }) => project)).toEqual(['p-1']);
    });
  });
});

describe('the last batch', () => {
  let fixture: ProjectFixture;

  beforeEach(async () => {
    fixture = new ProjectFixture();
    fixture.more = { projectDestination: true };
    await fixture.begin();
  });

  const lastBatch = (): unknown => fixture.uploads.state.get().lastBatch;

  it('counts all photos until the list is idle, with three names and the project', async () => {
    fixture.project = SPRING;
    await fixture.add('a', 'b', 'c', 'd');
    expect(lastBatch()).toEqual({
      count: 4,
      names: ['a.jpg', 'b.jpg', 'c.jpg'],
      project: SPRING,
      uploads: ['u-1', 'u-2', 'u-3', 'u-4'],
    });
    await fixture.add('e');
    expect(lastBatch()).toMatchObject({ count: 1, names: ['e.jpg'] });
  });

  it('names no project for photos of several', async () => {
    fixture.project = SPRING;
    await fixture.uploads.addPhotos([fixture.photo('a')]);
    fixture.project = AUTUMN;
    await fixture.add('b');
    expect(lastBatch()).toMatchObject({ count: 2, project: null });
  });

  it('ends while photos wait for the user, and counts no failed ones', async () => {
    fixture.refusals = {
      'p-1': { status: 403, error: 'insufficient_scope' },
      'p-2': { status: 422, error: 'unknown_project' },
    };
    for (const project of [SPRING, AUTUMN, null]) {
      fixture.project = project;
      await fixture.uploads.addPhotos([fixture.photo(project?.name ?? 'none')]);
    }
    await fixture.answerAll();
    expect(fixture.unsent.map(textOf)).toEqual(['Spring wedding', 'Autumn']);
    expect(lastBatch()).toMatchObject({ count: 1, names: ['none.jpg'] });
  });

  it('is cleared when the session has ended', async () => {
    await fixture.add('a');
    fixture.account = null;
    fixture.uploads.onSessionEnded();
    fixture.account = 'ben';
    fixture.uploads.onSignedIn();
    expect(lastBatch()).toBeNull();
  });
});
