import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { item, PanelRig } from './fixture.js';
import { en } from './translations.js';

const ANNA = {
  name: 'Anna Keller',
  username: 'anna',
  workspace: { id: 'w1', name: 'Studio Keller' },
};

let rig: PanelRig;

beforeEach(() => {
  rig = new PanelRig();
});

function names(): string[] {
  return [...rig.page.querySelectorAll('.whose-name')].map(({ textContent }) => textContent);
}

/** A code in sight for another account, while the session goes on. */
async function showAnotherCode(): Promise<void> {
  rig.showCode();
  rig.isForAnother = true;
  rig.session.set({ kind: 'signed-in', trouble: null });
  await rig.drawn();
}

describe('the account line', () => {
  it('stands below the state, with the place kept while it is not known', async () => {
    rig.connectedWith();
    await rig.drawn();
    const line = rig.page.querySelector('.whose');
    expect(line?.getAttribute('style') ?? '').toBe('');
    expect(rig.read().slice(0, 2)).toEqual(['Connected', 'Disconnect']);
    rig.account.set(ANNA);
    await rig.drawn();
    expect(rig.page.querySelector('.whose')).toBe(line);
    expect(rig.read().slice(0, 5)).toEqual([
      'Connected',
      'Disconnect',
      'Anna Keller',
      '·',
      'Studio Keller',
    ]);
  });

  it('changes with the account, and disappears when it is unknown', async () => {
    rig.account.set(ANNA);
    rig.connectedWith();
    await rig.drawn();
    rig.account.set({ ...ANNA, name: 'Ben' });
    await rig.drawn();
    expect(names()).toEqual(['Ben', 'Studio Keller']);
    rig.account.set(null);
    await rig.drawn();
    expect(names()).toEqual([]);
  });

  it('is shown as text, each name in boxes of its own, cut between whole signs', async () => {
    const family = '👨‍👩‍👧‍👦';
    rig.account.set({
      ...ANNA,
      name: `<img src=x> ${family.repeat(12)}`,
      workspace: { id: 'w1', name: 'مصورة الأعراس' },
    });
    rig.connectedWith();
    await rig.drawn();
    expect(rig.page.querySelector('img')).toBeNull();
    const [name, workspace] = rig.page.querySelectorAll('.whose-name');
    const [start, end] = [...(name?.children ?? [])].map(({ textContent }) => textContent);
    expect(start).toMatch(/^<img src=x> /);
    expect(end).toBe(family.repeat(4));
    expect(workspace?.textContent).toBe('مصورة الأعراس');
  });
});

describe('another account', () => {
  it('is offered only in the help of a connected panel', async () => {
    await rig.click(en.help);
    expect(rig.readHelp()).not.toContain(en.anotherAccount);
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    expect(rig.readHelp()).toContain(en.anotherText);
    expect(rig.buttons()).not.toContain(en.anotherAccount);
    await rig.click(en.anotherAccount);
    expect(rig.signInCalls.start).toHaveBeenCalledTimes(1);
    expect(rig.actions.disconnect).not.toHaveBeenCalled();
  });

  it('is not offered while a code is in sight, nor in a panel that was opened a second time', async () => {
    await rig.click(en.help);
    await showAnotherCode();
    expect(rig.readHelp()).not.toContain(en.anotherAccount);
    rig.signIn.set({ kind: 'idle' });
    rig.change({ storageError: new CwError('CW-704', 'elsewhere') });
    await rig.drawn();
    expect(rig.readHelp()).not.toContain(en.anotherAccount);
  });

  it('shows its code though connected; Cancel leads back, without saying that anything was approved', async () => {
    rig.connectedWith();
    rig.isForAnother = true;
    rig.signIn.set({ kind: 'requesting' });
    await rig.drawn();
    expect(rig.read()).toContain(en.requestingCode);
    await showAnotherCode();
    expect(rig.read()).toContain(en.codeTitle);
    await rig.click(en.cancel);
    expect(rig.signInCalls.cancel).toHaveBeenCalledTimes(1);
    rig.signIn.set({ kind: 'idle' });
    await rig.drawn();
    expect(rig.read()).toContain('Connected');
    expect(rig.read()).not.toContain(en.approvedTitle);
  });

  it('is reported as approved', async () => {
    await showAnotherCode();
    rig.isForAnother = false;
    rig.signIn.set({ kind: 'idle' });
    await rig.drawn();
    expect(rig.read()).toContain(en.approvedTitle);
  });

  it('is reported as denied in the connected panel until it is dismissed', async () => {
    await showAnotherCode();
    rig.signIn.set({ kind: 'ended', error: new CwError('CW-103', 'denied') });
    await rig.drawn();
    expect(rig.read()).toEqual(
      expect.arrayContaining(['Connected', en.deniedTitle, en.errors['CW-103'], 'CW-103']),
    );
    await rig.click(en.dismiss);
    expect(rig.signInCalls.cancel).toHaveBeenCalledTimes(1);
    rig.signIn.set({ kind: 'idle' });
    await rig.drawn();
    expect(rig.read()).not.toContain(en.deniedTitle);
  });
});

describe('a connected panel', () => {
  it.each([
    ['Upload', true],
    ['Remove', false],
  ])('asks what of the photos when another account may be connected: %s', async (label, send) => {
    rig.connectedWith(item('a.jpg'), item('b.jpg'));
    rig.change({ question: { photos: 2 } });
    await rig.drawn();
    expect(rig.read()).toContain('Upload to this account?');
    expect(rig.read()).toContain(`2 photos are waiting. ${en.count('questionText', 2)}`);
    await rig.click(label);
    expect(rig.uploads.answerQuestion.mock.calls).toEqual([[send]]);
  });
});

describe('disconnecting', () => {
  it('explains first what happens to unsent photos', async () => {
    rig.connectedWith(item('a.jpg'), item('b.jpg', 'failed', { failure: 'CW-606' }));
    rig.change({ adding: { done: 2, total: 5 }, removal: { photos: 1 } });
    await rig.drawn();
    await rig.click('Disconnect');
    expect(rig.actions.disconnect).not.toHaveBeenCalled();
    expect(rig.read()).toEqual([
      'Connected',
      en.disconnectTitle,
      `5 photos are not uploaded yet. They stay safe here. ${en.disconnectText}`,
      'Disconnect',
      'Cancel',
    ]);
    await rig.click('Cancel');
    expect(rig.read()).not.toContain(en.disconnectTitle);
    expect(rig.read()).toEqual(expect.arrayContaining(['a.jpg', '1 photo removed']));
    await rig.click('Disconnect');
    await rig.click('Disconnect');
    expect(rig.actions.disconnect).toHaveBeenCalledTimes(1);
  });

  it('updates the count while it asks, and stops asking when all are uploaded', async () => {
    rig.connectedWith(item('a.jpg'), item('b.jpg'));
    await rig.drawn();
    await rig.click('Disconnect');
    rig.show(item('a.jpg', 'uploaded'), item('b.jpg'));
    await rig.drawn();
    expect(rig.read().join()).toContain('1 photo is not uploaded yet. It stays safe here.');
    rig.show(item('a.jpg', 'uploaded'), item('b.jpg', 'uploaded'));
    await rig.drawn();
    expect(rig.read()).not.toContain(en.disconnectTitle);
    await rig.click('Disconnect');
    expect(rig.actions.disconnect).toHaveBeenCalledTimes(1);
  });

  it('is the same from the panel’s menu', async () => {
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    await rig.panel.disconnect();
    expect(rig.read()).toContain(en.disconnectTitle);
    expect(rig.actions.disconnect).not.toHaveBeenCalled();
    rig.show();
    await rig.drawn();
    await rig.panel.disconnect();
    expect(rig.actions.disconnect).toHaveBeenCalledTimes(1);
  });

  it('asks again after the next Connect', async () => {
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    await rig.click('Disconnect');
    rig.session.set({ kind: 'signed-out' });
    await rig.drawn();
    rig.session.set({ kind: 'signed-in', trouble: null });
    await rig.drawn();
    expect(rig.read()).not.toContain(en.disconnectTitle);
    expect(rig.read()).toContain('a.jpg');
  });
});
