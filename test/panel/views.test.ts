import { describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/base/errors.js';
import { PanelRig } from './rig.js';
import { en } from './words.js';

describe('the help below every view', () => {
  it('is folded; unfolded it names the versions and copies the diagnostics', async () => {
    const rig = new PanelRig();
    expect(rig.readHelp()).toEqual(['Help']);
    await rig.click('Help');
    expect(rig.readHelp()).toEqual([
      'Close',
      en.helpText,
      'Plugin 1.2.3 in Photoshop 27.4.0',
      'Copy diagnostics',
    ]);
    await rig.click('Copy diagnostics');
    expect(rig.intents.copyDiagnostics).toHaveBeenCalledTimes(1);
    expect(rig.readHelp()).toContain('Copied');
    rig.intents.copyDiagnostics.mockRejectedValueOnce(new CwError('CW-801', 'refused'));
    await rig.clock.advance(2000);
    await rig.click('Copy diagnostics');
    expect(rig.readHelp()).toContain('CW-801');
    await rig.click('Close');
    expect(rig.readHelp()).toEqual(['Help']);
  });
});

describe('an app that is too old', () => {
  it('is told so, whatever else is the matter', async () => {
    const rig = new PanelRig({ isTooOld: true });
    rig.connectedWith();
    await rig.drawn();
    expect(rig.read()).toEqual([
      'This app is too old',
      `${en.errors['CW-806']} The plugin cannot run in Photoshop 27.4.0. Photos you have added stay safe.`,
      'CW-806',
    ]);
  });
});

describe('the keyboard focus', () => {
  it('is shown around a button, unless the mouse brought it there', async () => {
    const rig = new PanelRig();
    rig.session.set({ kind: 'signed-out' });
    await rig.drawn();
    const button = rig.page.querySelector('#connect');
    const frame = button?.parentElement;
    const send = (type: string): void => {
      button?.dispatchEvent(new Event(type, { bubbles: true }));
    };
    send('focusin');
    expect(frame?.className).toBe('button focused');
    send('focusout');
    expect(frame?.className).toBe('button');
    send('pointerdown');
    send('focusin');
    expect(frame?.className).toBe('button');
    send('keydown');
    expect(frame?.className).toBe('button focused');
  });

  it('goes along when the view changes', async () => {
    const rig = new PanelRig();
    rig.session.set({ kind: 'signed-out' });
    await rig.drawn();
    const focusable = (text: string): HTMLElement | undefined => {
      const found = [...rig.page.querySelectorAll<HTMLElement>('sp-button')].find(
        (element) => element.textContent === text,
      );
      if (found) found.tabIndex = 0; // what a host's own buttons bring along
      return found;
    };
    for (const text of ['Connect', 'Cancel', 'Open browser', 'Add photos']) focusable(text);
    focusable('Connect')?.focus();
    rig.signIn.set({ kind: 'requesting' });
    await rig.drawn();
    expect(document.activeElement?.textContent).toBe('Cancel');
    rig.showCode();
    await rig.drawn();
    expect(document.activeElement?.textContent).toBe('Open browser');
    rig.session.set({ kind: 'signed-in', trouble: null });
    await rig.drawn();
    expect(document.activeElement?.textContent).toBe('Add photos');
  });
});
