import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import type { ShareLink } from '../../../src/features/links/share-links.js';
import { delivered, item, PanelFixture } from '../../panel/fixture.js';
import { en } from '../../ui/i18n/translations.js';

const WEDDING = { id: 'p1', name: 'Spring wedding' };
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
  choose(WEDDING);
  fixture.sharing.set('ready');
  fixture.connectedWith();
  await fixture.drawn();
});

/** Sets the destination of new photos. */
function choose(selected: typeof WEDDING | null): void {
  const projects = [{ ...WEDDING, photos: 32, updated: 2 }];
  fixture.destinations.set({
    availability: 'ready',
    projects,
    selected,
    isLoading: false,
    error: null,
  });
}

describe('sharing', () => {
  it('creates a link to the destination, with an expiry and a password', async () => {
    fixture.actions.createShareLink.mockResolvedValue(LINK);
    fixture.actions.shareLinks.mockResolvedValue([]);
    await fixture.click(en.share);
    await fixture.choose(en.count('shareDays', 30), en.count('shareDays', 7));
    await fixture.type('secret words');
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
    choose(null);
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
    choose(null);
    fixture.show(item('a.jpg', 'uploaded'));
    fixture.change({ lastBatch: { count: 1, names: ['a.jpg'], project: null, uploads: ['u1'] } });
    await fixture.drawn();
    expect(fixture.buttons()).not.toContain(en.copyLink);
    await fixture.click(en.share);
    expect(fixture.read()).toContain(en.sharePermission);
  });

  it('makes one link of the photos that were selected, by mouse and by keyboard', async () => {
    fixture.actions.shareLinks.mockResolvedValue([]);
    choose(null);
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
