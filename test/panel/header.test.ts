import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { item, PanelFixture } from './fixture.js';
import { en } from '../ui/i18n/translations.js';

const ANNA = {
  name: 'Anna Keller',
  username: 'anna',
  workspace: { id: 'w1', name: 'Studio Keller' },
  scopes: null,
};

let fixture: PanelFixture;

beforeEach(() => {
  fixture = new PanelFixture();
});

function names(): string[] {
  return [...fixture.page.querySelectorAll('.whose-name')].map(({ textContent }) => textContent);
}

/** A code in sight for another account, while the session goes on. */
async function showAnotherCode(): Promise<void> {
  fixture.showCode();
  fixture.isForAnother = true;
  fixture.session.set({ kind: 'signed-in', trouble: null });
  await fixture.drawn();
}

describe('the header', () => {
  it('names the account and below it the workspace, with the place kept while they are not known', async () => {
    fixture.connectedWith();
    await fixture.drawn();
    const line = fixture.page.querySelector('.head');
    expect(names()).toEqual(['Connected']);
    fixture.account.set(ANNA);
    await fixture.drawn();
    expect(fixture.page.querySelector('.head')).toBe(line);
    expect(fixture.read().slice(0, 3)).toEqual(['Connected', 'Anna Keller', 'Studio Keller']);
    fixture.account.set({ ...ANNA, name: 'Ben' });
    await fixture.drawn();
    expect(names()).toEqual(['Ben']);
    fixture.account.set(null);
    await fixture.drawn();
    expect(names()).toEqual(['Connected']);
  });

  it('shows names as text, and never cuts them in a word', async () => {
    const name = '<img src=x> Maximiliane Freifrau von Hohenfels';
    fixture.account.set({ ...ANNA, name });
    fixture.connectedWith();
    await fixture.drawn();
    expect(fixture.page.querySelector('img')).toBeNull();
    expect(names()).toEqual([name]);
  });
});

describe('this computer', () => {
  const COMPUTER = { id: 'a3f2'.repeat(8), name: 'Mac · A3F2', shortId: 'A3F2' };

  it('is renamed from the account menu, and keeps the text when the service refuses it', async () => {
    fixture.device.set(COMPUTER);
    fixture.connectedWith();
    await fixture.drawn();
    await fixture.choose(en.accountMenu, en.thisComputerMenu);
    await fixture.type('Studio laptop');
    fixture.actions.renameDevice.mockRejectedValueOnce(new CwError('CW-204', 'refused'));
    await fixture.click('Save');
    expect(fixture.read()).toContain(en.errors['CW-204']);
    await fixture.click('Save');
    expect(fixture.actions.renameDevice.mock.calls).toEqual([['Studio laptop'], ['Studio laptop']]);
    expect(fixture.buttons()).toContain(en.addPhotos);
  });

  it('is not renamed by Cancel', async () => {
    fixture.device.set(COMPUTER);
    fixture.connectedWith();
    await fixture.drawn();
    await fixture.choose(en.accountMenu, en.thisComputerMenu);
    await fixture.click('Cancel');
    expect(fixture.actions.renameDevice).not.toHaveBeenCalled();
    expect(fixture.buttons()).toContain(en.addPhotos);
  });
});

describe('another account', () => {
  it('is offered in the account menu', async () => {
    fixture.connectedWith(item('a.jpg'));
    await fixture.drawn();
    await fixture.click(en.accountMenu);
    expect(fixture.entries()).toEqual([
      en.photosInBrowser,
      en.anotherAccount,
      en.thisComputerMenu,
      en.copyDiagnostics,
      en.help,
      en.disconnect,
    ]);
    await fixture.click(en.anotherAccount);
    expect(fixture.signInCalls.start).toHaveBeenCalledTimes(1);
    expect(fixture.actions.disconnect).not.toHaveBeenCalled();
    expect(fixture.entries()).toEqual([]);
  });

  it('is not offered in a panel that was opened a second time', async () => {
    fixture.connectedWith();
    fixture.change({ storageError: new CwError('CW-704', 'elsewhere') });
    await fixture.drawn();
    await fixture.click(en.accountMenu);
    expect(fixture.entries()).not.toContain(en.anotherAccount);
  });

  it('shows who stays connected until then', async () => {
    fixture.account.set(ANNA);
    await showAnotherCode();
    expect(fixture.read()).toContain('You stay connected as Anna Keller until then.');
  });

  it('shows its code though connected; Cancel leads back, without saying that anything was approved', async () => {
    fixture.connectedWith();
    fixture.isForAnother = true;
    fixture.signIn.set({ kind: 'requesting' });
    await fixture.drawn();
    expect(fixture.read()).toContain(en.requestingCode);
    await showAnotherCode();
    expect(fixture.read()).toContain(en.codeTitle);
    await fixture.click(en.cancel);
    expect(fixture.signInCalls.cancel).toHaveBeenCalledTimes(1);
    fixture.signIn.set({ kind: 'idle' });
    await fixture.drawn();
    expect(fixture.read()).toContain('Connected');
    expect(fixture.read()).not.toContain(en.approvedTitle);
  });

  it('is reported as approved', async () => {
    await showAnotherCode();
    fixture.isForAnother = false;
    fixture.signIn.set({ kind: 'idle' });
    await fixture.drawn();
    expect(fixture.read()).toContain(en.approvedTitle);
  });

  it.each([
    ['CW-103', en.getNewCode],
    ['CW-301', en.tryAgain],
  ] as const)('that failed with %s is begun once more by a button', async (code, label) => {
    await showAnotherCode();
    fixture.signIn.set({ kind: 'ended', error: new CwError(code, 'failed') });
    await fixture.drawn();
    await fixture.click(label);
    expect(fixture.signInCalls.startOver).toHaveBeenCalledTimes(1);
  });

  it('is reported as denied in the connected panel until it is dismissed', async () => {
    await showAnotherCode();
    fixture.signIn.set({ kind: 'ended', error: new CwError('CW-103', 'denied') });
    await fixture.drawn();
    expect(fixture.read()).toEqual(
      expect.arrayContaining(['Connected', en.deniedTitle, en.errors['CW-103'], 'CW-103']),
    );
    await fixture.click(en.dismiss);
    expect(fixture.signInCalls.cancel).toHaveBeenCalledTimes(1);
    fixture.signIn.set({ kind: 'idle' });
    await fixture.drawn();
    expect(fixture.read()).not.toContain(en.deniedTitle);
  });
});

describe('a connected panel', () => {
  it.each([
    ['Upload', true],
    ['Remove', false],
  ])(
    'shows the choice for the photos when another account may be connected: %s',
    async (label, send) => {
      fixture.connectedWith(item('a.jpg'), item('b.jpg'));
      fixture.change({ question: { photos: 2 } });
      await fixture.drawn();
      expect(fixture.read()).toContain('Upload to this account?');
      expect(fixture.read()).toContain(en.count('questionText', 2));
      fixture.account.set(ANNA);
      await fixture.drawn();
      expect(fixture.read()).toContain('Upload 2 files to Anna Keller · Studio Keller?');
      expect(document.activeElement?.className).toBe('notice question');
      await fixture.click(label);
      expect(fixture.uploads.answerQuestion.mock.calls).toEqual([[send]]);
    },
  );
});

describe('disconnecting', () => {
  it('explains first what happens to unsent photos', async () => {
    fixture.connectedWith(item('a.jpg'), item('b.jpg', 'failed', { failure: 'CW-603' }));
    fixture.change({ adding: { done: 2, total: 5 }, removal: { photos: 1 } });
    await fixture.drawn();
    await fixture.choose(en.accountMenu, 'Disconnect');
    expect(fixture.actions.disconnect).not.toHaveBeenCalled();
    expect(fixture.read()).toEqual([
      'Connected',
      'Connected',
      en.disconnectTitle,
      `5 files are not uploaded yet. They stay safe here. ${en.disconnectText}`,
      'Disconnect',
      'Cancel',
    ]);
    await fixture.click('Cancel');
    expect(fixture.read()).not.toContain(en.disconnectTitle);
    expect(fixture.read()).toEqual(expect.arrayContaining(['a.jpg', '1 file removed']));
    await fixture.choose(en.accountMenu, 'Disconnect');
    await fixture.click('Disconnect');
    expect(fixture.actions.disconnect).toHaveBeenCalledTimes(1);
  });

  it('updates the count in the question, and ends it when all are uploaded', async () => {
    fixture.connectedWith(item('a.jpg'), item('b.jpg'));
    await fixture.drawn();
    await fixture.choose(en.accountMenu, 'Disconnect');
    fixture.show(item('a.jpg', 'uploaded'), item('b.jpg'));
    await fixture.drawn();
    expect(fixture.read().join()).toContain('1 file is not uploaded yet. It stays safe here.');
    fixture.show(item('a.jpg', 'uploaded'), item('b.jpg', 'uploaded'));
    await fixture.drawn();
    expect(fixture.read()).not.toContain(en.disconnectTitle);
    await fixture.choose(en.accountMenu, 'Disconnect');
    expect(fixture.actions.disconnect).toHaveBeenCalledTimes(1);
  });

  it('is the same from the panel’s menu', async () => {
    fixture.connectedWith(item('a.jpg'));
    await fixture.drawn();
    await fixture.panel.disconnect();
    expect(fixture.read()).toContain(en.disconnectTitle);
    expect(fixture.actions.disconnect).not.toHaveBeenCalled();
    fixture.show();
    await fixture.drawn();
    await fixture.panel.disconnect();
    expect(fixture.actions.disconnect).toHaveBeenCalledTimes(1);
  });

  it('shows the question again after the next Connect', async () => {
    fixture.connectedWith(item('a.jpg'));
    await fixture.drawn();
    await fixture.choose(en.accountMenu, 'Disconnect');
    fixture.session.set({ kind: 'signed-out' });
    await fixture.drawn();
    fixture.session.set({ kind: 'signed-in', trouble: null });
    await fixture.drawn();
    expect(fixture.read()).not.toContain(en.disconnectTitle);
    expect(fixture.read()).toContain('a.jpg');
  });
});
