import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DestinationState } from '../../../src/features/destinations/destinations.js';
import { item, PanelFixture } from '../../panel/fixture.js';
import { en } from '../../ui/i18n/translations.js';

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

let fixture: PanelFixture;

beforeEach(async () => {
  fixture = new PanelFixture();
  fixture.destinations.set(READY);
  fixture.connectedWith();
  await fixture.drawn();
});

async function openList(): Promise<void> {
  await fixture.click('ToSpring wedding');
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
    await fixture.type('MAY');
    expect(fixture.entries()).toEqual(['Portraits May', 'Create “MAY”']);
    await fixture.type('portraits may');
    expect(fixture.entries()).toEqual(['Portraits May']);
    await fixture.type('Press kit');
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
    const field = await fixture.type('Press kit');
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
    await fixture.type('Press kit');
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
