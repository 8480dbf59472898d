import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import type { DestinationState } from '../../src/features/destinations/destinations.js';
import type { ShareLink } from '../../src/features/links/share-links.js';
import { delivered, item, PanelFixture } from './fixture.js';
import { en } from './translations.js';

const WEDDING = { id: 'p1', name: 'Spring wedding' };
const READY: DestinationState = {
  availability: 'ready',
  projects: [
    { ...WEDDING, photos: 32, updated: 2 },
    { id: 'p2', name: 'Portraits May', photos: 118, updated: 1 },
  ],
  selected: WEDDING,
  isLoading: false,
  error: null,
};
const LINK: ShareLink = {
  id: 'l1',
  url: 'https://service.example/s/1',
  expires: new Date(2026, 5, 11).getTime(),
  created: 0,
  hasPassword: true,
  name: 'Spring wedding',
  photos: 32,
  project: WEDDING,
};

let fixture: PanelFixture;

beforeEach(async () => {
  fixture = new PanelFixture();
  fixture.destinations.set(READY);
  fixture.sharing.set('ready');
  fixture.connectedWith();
  await fixture.drawn();
});

async function openList(): Promise<void> {
  await fixture.click('ToSpring wedding');
}

async function type(text: string): Promise<HTMLElement> {
  const field = fixture.page.querySelector<HTMLElement & { value?: string }>('sp-textfield');
  if (!field) throw new Error('no field');
  field.value = text;
  field.dispatchEvent(new Event('input'));
  await fixture.drawn();
  return field;
}

describe('the destination', () => {
  it('is absent where the service has no projects', async () => {
    fixture.destinations.set({ ...READY, availability: 'unsupported' });
    await fixture.drawn();
    expect(fixture.buttons()).not.toContain('ToSpring wedding');
  });

  it('keeps its place until the service has answered', async () => {
    fixture.destinations.set({ ...READY, projects: [], availability: 'unknown' });
    await fixture.drawn();
    await openList();
    expect(fixture.read()).toContain(en.loading);
  });

  it('lists the projects in their order, and none', async () => {
    await openList();
    expect(fixture.actions.loadDestinations).toHaveBeenCalledTimes(1);
    expect(fixture.entries()).toEqual([
      ...['Spring wedding', 'Portraits May', en.noProject, en.newProject],
    ]);
    await fixture.click('Portraits May');
    await openList();
    await fixture.click(en.noProject);
    expect(fixture.actions.selectDestination.mock.calls).toEqual([
      [{ id: 'p2', name: 'Portraits May' }],
      [null],
    ]);
    expect(fixture.entries()).toEqual([]);
  });

  it('shows projects that are loaded while its list is open', async () => {
    fixture.destinations.set({ ...READY, projects: [], isLoading: true });
    await fixture.drawn();
    await openList();
    expect(fixture.read()).toContain(en.loading);
    fixture.destinations.set(READY);
    await fixture.drawn();
    expect(fixture.entries()).toContain('Portraits May');
  });

  it('finds projects by a part of their name, and creates one of a new name', async () => {
    await openList();
    await type('MAY');
    expect(fixture.entries()).toEqual(['Portraits May', 'Create “MAY”']);
    await type('portraits may');
    expect(fixture.entries()).toEqual(['Portraits May']);
    await type('Press kit');
    const created = { id: 'p3', name: 'Press kit' };
    fixture.actions.createProject.mockResolvedValue(created);
    await fixture.click('Create “Press kit”');
    expect(fixture.actions.createProject.mock.calls).toEqual([['Press kit']]);
    expect(fixture.actions.selectDestination.mock.calls).toEqual([[created]]);
  });

  it('creates a project by its own entry, with Enter', async () => {
    await openList();
    await fixture.click(en.newProject);
    expect(fixture.entries()).toEqual([]);
    const field = await type('Press kit');
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    await fixture.drawn();
    expect(fixture.actions.createProject.mock.calls).toEqual([['Press kit']]);
  });

  it('starts the sign-in for the permission where that is needed', async () => {
    fixture.destinations.set({
      ...READY,
      availability: 'needs-permission',
      projects: [],
      selected: null,
    });
    await fixture.drawn();
    await fixture.click('ToNo project');
    expect(fixture.read()).toContain(en.projectsPermission);
    await fixture.click(en.openBrowser);
    expect(fixture.signInCalls.startForScope.mock.calls).toEqual([['projects:write']]);
  });

  it.each([
    ['opens its list again after the sign-in for its permission', READY, true],
    [
      'stays closed after a sign-in that gave no permission',
      { ...READY, availability: 'needs-permission', projects: [], selected: null },
      false,
    ],
  ] as const)('%s', async (_title, after, isOpen) => {
    fixture.destinations.set({ ...READY, availability: 'needs-permission', selected: null });
    await fixture.drawn();
    await fixture.click('ToNo project');
    await fixture.click(en.openBrowser);
    fixture.requestedScope = 'projects:write';
    fixture.isForAnother = true;
    fixture.signIn.set({ kind: 'requesting' });
    await fixture.drawn();
    fixture.requestedScope = null;
    fixture.isForAnother = false;
    fixture.signIn.set({ kind: 'idle' });
    await fixture.drawn();
    fixture.destinations.set(after);
    await fixture.drawn();
    await fixture.drawn();
    expect(fixture.entries().includes('Portraits May')).toBe(isOpen);
    // Whatever else the user does ends it.
    await fixture.click(isOpen ? 'Portraits May' : en.addPhotos);
    fixture.destinations.set({ ...READY, availability: 'unknown' });
    await fixture.drawn();
    fixture.destinations.set(READY);
    await fixture.drawn();
    expect(fixture.entries()).toEqual([]);
    expect(fixture.actions.selectDestination).toHaveBeenCalledTimes(isOpen ? 1 : 0);
  });

  it('of a waiting photo can be changed, also to a new project', async () => {
    const created = { id: 'p3', name: 'Press kit' };
    fixture.actions.createProject.mockResolvedValue(created);
    fixture.show(item('a.jpg'));
    await fixture.drawn();
    await fixture.choose('Options', en.changeDestination);
    await fixture.click('Portraits May');
    await fixture.choose('Options', en.changeDestination);
    await type('Press kit');
    await fixture.click('Create “Press kit”');
    expect(fixture.uploads.setDestination.mock.calls).toEqual([
      [['id of a.jpg'], { id: 'p2', name: 'Portraits May' }],
      [['id of a.jpg'], created],
    ]);
    expect(fixture.actions.selectDestination).not.toHaveBeenCalled();
  });

  it('of a photo whose upload has begun cannot be changed', async () => {
    const { record, ...waiting } = item('a.jpg');
    const uploadUrl = 'https://service.example/api/v1/uploads/1';
    fixture.show({ ...waiting, record: { ...record, uploadUrl } });
    await fixture.drawn();
    await fixture.click('Options');
    expect(fixture.read()).not.toContain(en.changeDestination);
  });
});

describe('photos with the names of earlier uploads', () => {
  it.each([
    ['Replace', 'replace'],
    ['Keep both', 'keep-both'],
  ])('are asked about once: %s', async (label, answer) => {
    const previous = { projectName: null, uploadedAt: null, replaces: 'u1' };
    fixture.change({
      previous: [
        { id: '1', name: 'a.jpg', ...previous },
        { id: '2', name: 'b.jpg', ...previous },
      ],
    });
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining([en.previousTitle, en.count('previousText', 2)]),
    );
    await fixture.click(label);
    expect(fixture.uploads.duplicates.answer.mock.calls).toEqual([[answer]]);
  });
});

describe('sharing', () => {
  it('creates a link to the destination, with an expiry and a password', async () => {
    fixture.actions.createShareLink.mockResolvedValue(LINK);
    fixture.actions.shareLinks.mockResolvedValue([]);
    await fixture.click(en.share);
    await fixture.choose(en.count('shareDays', 30), en.count('shareDays', 7));
    await type('secret words');
    await fixture.click(en.createLink);
    expect(fixture.actions.createShareLink.mock.calls).toEqual([
      [{ project: 'p1' }, { days: 7, password: 'secret words' }],
    ]);
    expect(fixture.host.copyText.mock.calls).toEqual([[LINK.url]]);
    expect(fixture.read()).toEqual(
      expect.arrayContaining([en.linkCopied, 'Until Jun 11, 2026 · with password']),
    );
    await fixture.click(en.done);
    expect(fixture.buttons()).toContain('Add photos');
  });

  it('lists a new link that could not be copied', async () => {
    fixture.actions.createShareLink.mockResolvedValue(LINK);
    fixture.actions.shareLinks.mockResolvedValue([]);
    fixture.host.copyText.mockRejectedValueOnce(new CwError('CW-801', 'refused'));
    await fixture.click(en.share);
    await fixture.click(en.createLink);
    expect(fixture.read()).toContain(en.errors['CW-801']);
    expect(fixture.read()).not.toContain(en.linkCopied);
    expect(fixture.buttons()).toContain(en.copyLink);
  });

  it('copies a link again, and revokes it after a second press', async () => {
    fixture.actions.shareLinks.mockResolvedValue([LINK]);
    await fixture.click(en.share);
    await fixture.click(en.copyLink);
    expect(fixture.host.copyText.mock.calls).toEqual([[LINK.url]]);
    await fixture.click(en.revoke);
    expect(fixture.actions.revokeShareLink).not.toHaveBeenCalled();
    await fixture.click(en.revokeNow);
    expect(fixture.actions.revokeShareLink.mock.calls).toEqual([['l1']]);
    expect(fixture.buttons()).not.toContain(en.revoke);
  });

  it('shows why the links cannot be read, and reads them again', async () => {
    fixture.actions.shareLinks.mockRejectedValueOnce(new CwError('CW-301', 'unreachable'));
    fixture.actions.shareLinks.mockResolvedValueOnce([LINK]);
    await fixture.click(en.share);
    await fixture.drawn();
    expect(fixture.read()).toContain(en.errors['CW-301']);
    await fixture.click(en.tryAgain);
    expect(fixture.buttons()).toContain(en.revoke);
    expect(fixture.read()).not.toContain(en.errors['CW-301']);
  });

  it('starts the sign-in for the permission where that is needed', async () => {
    fixture.sharing.set('needs-permission');
    await fixture.drawn();
    await fixture.click(en.share);
    await fixture.click(en.openBrowser);
    expect(fixture.signInCalls.startForScope.mock.calls).toEqual([['shares:write']]);
  });

  it.each([
    ['opens again after a sign-in for its permission', 'shares:write', true],
    ['is closed after a sign-in to another account', null, false],
  ])('%s', async (_title, scope, isOpen) => {
    fixture.actions.shareLinks.mockResolvedValue([]);
    await fixture.click(en.share);
    fixture.requestedScope = scope;
    fixture.isForAnother = true;
    fixture.signIn.set({ kind: 'requesting' });
    await fixture.drawn();
    expect(fixture.buttons()).not.toContain(en.createLink);
    fixture.requestedScope = null;
    fixture.isForAnother = false;
    fixture.signIn.set({ kind: 'idle' });
    await fixture.drawn();
    expect(fixture.buttons().includes(en.createLink)).toBe(isOpen);
  });

  it.each([
    ['the project that has all of them', WEDDING, { project: 'p1' }],
    ['the photos', null, { uploads: ['u1', 'u2'] }],
  ])('is offered when a batch is done, for %s', async (_what, project, target) => {
    fixture.actions.shareLinks.mockResolvedValue([]);
    fixture.destinations.set({ ...READY, selected: null });
    fixture.show(item('a.jpg', 'uploaded'), item('b.jpg', 'uploaded'));
    fixture.change({
      lastBatch: { count: 2, names: ['a.jpg'], project, uploads: ['u1', 'u2'] },
    });
    await fixture.drawn();
    expect(fixture.read()).toContain(
      project ? '2 files uploaded to Spring wedding' : '2 files uploaded',
    );
    // One press makes the link and copies it, and another one copies the same link.
    fixture.actions.createShareLink.mockResolvedValue(LINK);
    await fixture.click(en.copyLink);
    expect(fixture.buttons()).toContain(en.copied);
    await fixture.click(en.copied);
    expect(fixture.actions.createShareLink.mock.calls).toEqual([[target, { days: 30 }]]);
    expect(fixture.host.copyText.mock.calls).toEqual([[LINK.url], [LINK.url]]);
    fixture.receipts.set(true);
    await fixture.drawn();
    await fixture.choose(en.listOptions, en.saveReceipt);
    expect(fixture.actions.saveReceipt.mock.calls).toEqual([
      [{ uploads: ['u1', 'u2'] }, project?.name ?? 'a.jpg'],
    ]);
    await fixture.choose(en.listOptions, en.share);
    expect(fixture.actions.shareLinks.mock.calls).toEqual([[target]]);
  });

  it('of a batch opens the sheet while the permission is missing', async () => {
    fixture.sharing.set('needs-permission');
    fixture.destinations.set({ ...READY, selected: null });
    fixture.show(item('a.jpg', 'uploaded'));
    fixture.change({ lastBatch: { count: 1, names: ['a.jpg'], project: null, uploads: ['u1'] } });
    await fixture.drawn();
    expect(fixture.buttons()).not.toContain(en.copyLink);
    await fixture.click(en.share);
    expect(fixture.read()).toContain(en.sharePermission);
  });

  it('makes one link of the photos that were selected, by mouse and by keyboard', async () => {
    fixture.actions.shareLinks.mockResolvedValue([]);
    fixture.destinations.set({ ...READY, selected: null });
    fixture.show(
      item('a.jpg', 'uploaded'),
      item('b.jpg', 'uploaded'),
      item('c.jpg', 'uploaded'),
      item('d.jpg', 'waiting'),
    );
    fixture.deliver(
      ...['a.jpg', 'b.jpg', 'c.jpg'].map((name) =>
        delivered(name, { uploadId: `upload of ${name}` }),
      ),
    );
    await fixture.drawn();
    await fixture.choose(en.listOptions, en.select);
    expect(fixture.read()).toContain(en.count('selectedCount', 0));
    expect(fixture.buttons()).not.toContain(en.share);
    const rows = [...fixture.page.querySelectorAll<HTMLElement>('.photo.selectable')];
    expect(rows.map((row) => row.querySelector('.photo-name')?.textContent)).toEqual([
      ...['a.jpg', 'b.jpg', 'c.jpg'],
    ]);
    rows[0]?.click();
    rows[1]?.click();
    rows[2]?.dispatchEvent(new KeyboardEvent('keydown', { key: ' ' }));
    await fixture.drawn();
    // Again: no longer.
    rows[1]?.click();
    await fixture.drawn();
    expect(fixture.read()).toContain(en.count('selectedCount', 2));
    await fixture.click(en.share);
    expect(fixture.actions.shareLinks.mock.calls).toEqual([
      [{ uploads: ['upload of a.jpg', 'upload of c.jpg'] }],
    ]);
    await fixture.click(en.done);
    expect(fixture.page.querySelector('.selectable')).toBeNull();
    await fixture.choose(en.listOptions, en.select);
    await fixture.click(en.cancel);
    expect(fixture.page.querySelector('.selectable')).toBeNull();
  });
});

describe('the open document', () => {
  const document = {
    key: 'd',
    name: 'Lake at dusk.psd',
    documentId: null,
    stateId: '1',
    thumbnail: () => Promise.resolve('data:image/jpeg;base64,AA=='),
  };

  it.each([
    [{ kind: 'not-uploaded' }, 'Not uploaded'],
    [{ kind: 'uploaded', at: new Date(2026, 0, 1, 14, 5).getTime() }, 'Uploaded Jan 1, 2026'],
    [{ kind: 'changed', since: new Date(2026, 0, 1).getTime() }, 'Changed since Jan 1, 2026'],
  ] as const)('shows its picture, its name and its state: %p', async (upload, text) => {
    fixture.openDocument.set({ document, upload, answer: null });
    await fixture.drawn();
    expect(fixture.read()).toEqual(expect.arrayContaining(['Lake at dusk.psd', text]));
    expect(fixture.page.querySelector('.card img')?.getAttribute('src')).toBe(
      'data:image/jpeg;base64,AA==',
    );
    fixture.openDocument.set(null);
    await fixture.drawn();
    expect(fixture.page.querySelector('.card-name')).toBeNull();
  });

  it.each([
    [{ version: 3, isOutdated: false }, 0, 'Approved v3'],
    [{ version: 3, isOutdated: true }, 0, 'Approved v3 · you changed it since'],
    [{ version: 12, isOutdated: false }, 1, 'Approved v12 · 1 comment'],
    [null, 2, '2 comments'],
  ])('shows what clients said: %j and %d comments', async (approval, comments, text) => {
    const pageUrl = 'https://service.example/photos/1';
    const upload = { kind: 'uploaded', at: 0 } as const;
    fixture.openDocument.set({ document, upload, answer: { approval, comments, pageUrl } });
    await fixture.drawn();
    await fixture.click(text);
    expect(fixture.actions.openPage.mock.calls).toEqual([[pageUrl]]);
  });
});

describe('a row', () => {
  it('shows the picture of its photo as soon as there is one', async () => {
    fixture.show(item('a.jpg'));
    await fixture.drawn();
    expect(fixture.page.querySelector('.photo img')).toBeNull();
    fixture.pictureOf.set('id of a.jpg', 'data:image/jpeg;base64,AA==');
    fixture.pictures.changes.set(1);
    await fixture.drawn();
    expect(fixture.page.querySelector('.photo img')?.getAttribute('src')).toBe(
      'data:image/jpeg;base64,AA==',
    );
  });
});
