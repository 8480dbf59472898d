import { describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { LANGUAGES } from '../../src/panel/i18n/language.js';
import { item, PanelRig } from './fixture.js';
import { en, stringsIn } from './translations.js';

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
      'Show diagnostics',
    ]);
    await rig.click('Copy diagnostics');
    expect(rig.host.copyText).toHaveBeenCalledTimes(1);
    expect(rig.readHelp()).toContain('Copied');
    rig.host.copyText.mockRejectedValueOnce(new CwError('CW-801', 'refused'));
    await rig.clock.advance(2000);
    await rig.click('Copy diagnostics');
    expect(rig.readHelp()).toContain('CW-801');
    await rig.click('Close');
    expect(rig.readHelp()).toEqual(['Help']);
  });

  it('shows the diagnostics as they are now, all of them selected, and takes them away again', async () => {
    const rig = new PanelRig();
    await rig.click('Help');
    expect(rig.field()).toBeNull();
    await rig.click('Show diagnostics');
    const field = rig.field();
    const text = 'Diagnostics of 2026-01-15T12:00:00.000Z';
    expect(field?.value).toBe(text);
    expect(field?.readOnly).toBe(true);
    expect(document.activeElement).toBe(field);
    expect([field?.selectionStart, field?.selectionEnd]).toEqual([0, text.length]);
    await rig.click('Hide diagnostics');
    expect(rig.field()).toBeNull();
    expect(field?.value).toBe('');
    await rig.clock.advance(60_000);
    await rig.click('Show diagnostics');
    expect(rig.field()?.value).toBe('Diagnostics of 2026-01-15T12:01:00.000Z');
    await rig.click('Close');
    await rig.click('Help');
    expect(rig.field()).toBeNull();
    expect(rig.readHelp()).toContain('Show diagnostics');
  });

  it('shows the diagnostics by itself where the clipboard refuses them', async () => {
    const rig = new PanelRig();
    await rig.click('Help');
    rig.host.copyText.mockRejectedValue(new CwError('CW-801', 'refused'));
    await rig.click('Copy diagnostics');
    await rig.clock.advance(0);
    expect(rig.field()?.value).toMatch(/^Diagnostics of /);
    expect(rig.readHelp()).toEqual(expect.arrayContaining(['CW-801', 'Hide diagnostics']));
    await rig.click('Close');
    await expect(rig.panel.copyDiagnostics()).rejects.toMatchObject({ code: 'CW-801' });
    expect(rig.field()?.value).toMatch(/^Diagnostics of /);
  });
});

describe('an action that failed', () => {
  it('is told of below the buttons, with what to do and the code, until the next press', async () => {
    const rig = new PanelRig();
    rig.connectedWith();
    await rig.drawn();
    const error = new CwError('CW-802', 'no picker');
    rig.actions.addPhotos.mockRejectedValueOnce(error);
    await rig.click('Add photos');
    expect(rig.faults).toEqual([error]);
    const read = rig.read();
    const place = read.indexOf('Add photos') + 1;
    expect(read.slice(place, place + 5)).toEqual([
      'Upload this document',
      'Format: JPEG',
      en.faultTitle,
      en.errors['CW-802'],
      'CW-802',
    ]);
    await rig.click('Add photos');
    expect(rig.read()).not.toContain('CW-802');
    expect(rig.read()).not.toContain(en.faultTitle);
  });

  it('is told of as a fault of the plugin when nothing else is known, without its text', async () => {
    const rig = new PanelRig();
    rig.connectedWith();
    await rig.drawn();
    rig.actions.disconnect.mockRejectedValueOnce(new Error('C:\\Users\\someone'));
    await rig.click('Disconnect');
    expect(rig.read().slice(0, 5)).toEqual([
      'Connected',
      'Disconnect',
      en.faultTitle,
      en.errors['CW-901'],
      'CW-901',
    ]);
    expect(rig.page.textContent).not.toContain('someone');
  });

  it('is told of at the bottom when it was in the row of a photo, which has no place for it', async () => {
    const rig = new PanelRig();
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    await rig.click('Options');
    rig.uploads.remove.mockRejectedValueOnce(new CwError('CW-702', 'no list'));
    await rig.click('Remove');
    const said = [en.faultTitle, en.errors['CW-702'], 'CW-702'];
    expect(rig.read().slice(-3)).toEqual(said);
  });

  it('is told of wherever the panel is shown', () => {
    const rig = new PanelRig();
    rig.connectedWith();
    rig.panel.show(rig.page);
    rig.panel.reportError(new CwError('CW-801', 'refused'));
    expect(rig.read().slice(-3)).toEqual([en.faultTitle, en.errors['CW-801'], 'CW-801']);
  });
});

describe('sentences one after the other', () => {
  it.each([
    ['en', ' '],
    ['ja', ''],
  ] as const)('are set apart in %s by "%s"', async (language, space) => {
    const strings = stringsIn(language);
    const rig = new PanelRig({ strings });
    rig.session.set({ kind: 'signed-out' });
    rig.signIn.set({ kind: 'ended', error: new CwError('CW-301', 'unreachable') });
    await rig.drawn();
    expect(rig.read()).toContain(`${strings.errors['CW-301']}${space}${strings.connectAgain}`);
  });
});

describe('a panel whose work another copy has taken over', () => {
  it('says so, and offers nothing that would not work', async () => {
    const rig = new PanelRig();
    rig.connectedWith(item('a.jpg'));
    rig.change({ storageError: new CwError('CW-704', 'taken over') });
    await rig.drawn();
    expect(rig.read()).toEqual([en.twiceTitle, 'Disconnect', en.errors['CW-704'], 'CW-704']);
  });
});

describe('the sentence about a panel that was opened a second time', () => {
  it.each(LANGUAGES)('in %s names nothing that the panel does not have', (language) => {
    // There is no button that loads the panel anew, and hosts have none either.
    expect(stringsIn(language).errors['CW-704']).not.toMatch(
      /reload|neu laden|laden Sie|recharge|cargar|carregue|carregar|読み込/i,
    );
  });
});

describe('an app that is too old', () => {
  it('is told so, whatever else is the matter', async () => {
    const rig = new PanelRig({ isUnsupported: true });
    rig.connectedWith();
    await rig.drawn();
    expect(rig.read()).toEqual([
      'This app is too old',
      `${en.errors['CW-806']} The plugin cannot run in Photoshop 27.4.0. Photos you have added are safe.`,
      'CW-806',
    ]);
  });
});

describe('the keyboard focus', () => {
  it('is shown around a button, unless the mouse brought it there', async () => {
    const rig = new PanelRig();
    rig.session.set({ kind: 'signed-out' });
    await rig.drawn();
    const button = rig.page.querySelector('sp-button[variant=cta]');
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

  it('stays in the panel when the button that was pressed goes away', async () => {
    const rig = new PanelRig();
    rig.connectedWith(item('a.jpg'));
    await rig.drawn();
    const focus = (text: string): void => {
      const found = [...rig.page.querySelectorAll<HTMLElement>('sp-button')].filter(
        (element) => element.textContent === text,
      );
      for (const element of found) element.tabIndex = 0; // what a host's own buttons bring along
      found[0]?.focus();
    };
    const focused = (): string | undefined => document.activeElement?.textContent;
    for (const text of ['Add photos', 'Resume', 'Pause']) focus(text);
    rig.change({ paused: true });
    await rig.drawn();
    expect(focused()).toBe('Resume');
    rig.change({ paused: false });
    await rig.drawn();
    expect(focused()).toBe('Add photos');
    // What is still there keeps it.
    focus('Pause');
    rig.show(item('a.jpg'), item('b.jpg'));
    await rig.drawn();
    expect(focused()).toBe('Pause');
  });

  it('moves with the view when it changes', async () => {
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
