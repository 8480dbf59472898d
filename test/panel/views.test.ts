import { describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { LANGUAGES } from '../../src/ui/i18n/language.js';
import { item, PanelFixture } from './fixture.js';
import { en, stringsIn } from '../ui/i18n/translations.js';

describe('the help below every view', () => {
  it('is folded; unfolded it names the versions and copies the diagnostics', async () => {
    const fixture = new PanelFixture();
    expect(fixture.readHelp()).toEqual([]);
    await fixture.click('Help');
    expect(fixture.readHelp()).toEqual([
      en.helpText,
      'Plugin 1.2.3 in Photoshop 27.4.0',
      'Copy diagnostics',
      'Show diagnostics',
    ]);
    await fixture.click('Copy diagnostics');
    expect(fixture.host.copyText).toHaveBeenCalledTimes(1);
    expect(fixture.readHelp()).toContain('Copied');
    await fixture.click('Help');
    expect(fixture.readHelp()).toEqual([]);
  });

  it('names the codes that are shown, because it covers them in a small panel', async () => {
    const fixture = new PanelFixture();
    fixture.connectedWith(item('a.jpg', 'failed', { failure: 'CW-604' }), item('b.jpg'));
    fixture.queue.set({ kind: 'waiting', error: new CwError('CW-301', 'x'), until: 0 });
    await fixture.drawn();
    await fixture.click('Help');
    expect(fixture.readHelp()[0]).toBe('CW-301, CW-604');
  });

  it('shows the diagnostics as they are now, all of them selected, and takes them away again', async () => {
    const fixture = new PanelFixture();
    await fixture.click('Help');
    expect(fixture.field()).toBeNull();
    await fixture.click('Show diagnostics');
    const field = fixture.field();
    const text = 'Diagnostics of 2026-01-15T12:00:00.000Z';
    expect(field?.value).toBe(text);
    expect(field?.readOnly).toBe(true);
    expect(document.activeElement).toBe(field);
    expect([field?.selectionStart, field?.selectionEnd]).toEqual([0, text.length]);
    await fixture.click('Hide diagnostics');
    expect(fixture.field()).toBeNull();
    await fixture.clock.advance(60_000);
    await fixture.click('Show diagnostics');
    expect(fixture.field()?.value).toBe('Diagnostics of 2026-01-15T12:01:00.000Z');
    await fixture.click('Help');
    await fixture.click('Help');
    expect(fixture.field()).toBeNull();
    expect(fixture.readHelp()).toContain('Show diagnostics');
  });

  it('shows the diagnostics where the clipboard refuses them', async () => {
    const fixture = new PanelFixture();
    await fixture.click('Help');
    fixture.host.copyText.mockRejectedValue(new CwError('CW-801', 'refused'));
    await fixture.click('Copy diagnostics');
    expect(fixture.field()?.value).toMatch(/^Diagnostics of /);
    expect(fixture.readHelp()).toEqual(expect.arrayContaining(['CW-801', 'Hide diagnostics']));
    await fixture.click('Help');
    await expect(fixture.panel.copyDiagnostics()).rejects.toMatchObject({ code: 'CW-801' });
    expect(fixture.field()?.value).toMatch(/^Diagnostics of /);
  });
});

describe('an action that failed', () => {
  it('is reported at the bottom, with what to do and the code, until the next press', async () => {
    const fixture = new PanelFixture();
    fixture.connectedWith();
    await fixture.drawn();
    const error = new CwError('CW-802', 'no picker');
    fixture.actions.addPhotos.mockRejectedValueOnce(error);
    await fixture.click('Add photos');
    expect(fixture.faults).toEqual([error]);
    expect(fixture.read().slice(-3)).toEqual([en.faultTitle, en.errors['CW-802'], 'CW-802']);
    await fixture.click('Add photos');
    expect(fixture.read()).not.toContain('CW-802');
    expect(fixture.read()).not.toContain(en.faultTitle);
  });

  it('is reported as a fault of the plugin when nothing else is known, without its text', async () => {
    const fixture = new PanelFixture();
    fixture.connectedWith();
    await fixture.drawn();
    fixture.actions.disconnect.mockRejectedValueOnce(new Error('C:\\Users\\someone'));
    await fixture.choose(en.accountMenu, 'Disconnect');
    expect(fixture.read().slice(-3)).toEqual([en.faultTitle, en.errors['CW-901'], 'CW-901']);
    expect(fixture.page.textContent).not.toContain('someone');
  });

  it('is told of wherever the panel is shown', () => {
    const fixture = new PanelFixture();
    fixture.connectedWith();
    fixture.panel.show(fixture.page);
    fixture.panel.reportError(new CwError('CW-801', 'refused'));
    expect(fixture.read().slice(-3)).toEqual([en.faultTitle, en.errors['CW-801'], 'CW-801']);
  });
});

describe('sentences one after the other', () => {
  it.each([
    ['en', ' '],
    ['ja', ''],
  ] as const)('are set apart in %s by "%s"', async (language, space) => {
    const strings = stringsIn(language);
    const fixture = new PanelFixture({ strings });
    fixture.session.set({ kind: 'signed-out' });
    fixture.signIn.set({ kind: 'ended', error: new CwError('CW-301', 'unreachable') });
    await fixture.drawn();
    expect(fixture.read()).toContain(`${strings.errors['CW-301']}${space}${strings.connectAgain}`);
  });
});

describe('a panel whose work another copy has taken over', () => {
  it('reports it, and offers nothing that would not work', async () => {
    const fixture = new PanelFixture();
    fixture.connectedWith(item('a.jpg'));
    fixture.change({ storageError: new CwError('CW-704', 'taken over') });
    await fixture.drawn();
    expect(fixture.read()).toEqual([en.twiceTitle, en.twiceTitle, en.errors['CW-704'], 'CW-704']);
    expect(fixture.buttons()).toEqual([en.accountMenu]);
    await fixture.click(en.accountMenu);
    expect(fixture.entries()).toContain('Disconnect');
  });
});

describe('the sentence about a panel that was opened a second time', () => {
  it.each(LANGUAGES)('in %s names nothing that the panel does not have', (language) => {
    // There is no button that loads the panel again, and hosts have none either.
    expect(stringsIn(language).errors['CW-704']).not.toMatch(
      /reload|neu laden|laden Sie|recharge|cargar|carregue|carregar|読み込/i,
    );
  });
});

describe('an app that is too old', () => {
  it('is told so, whatever else is the matter', async () => {
    const fixture = new PanelFixture({ isUnsupported: true });
    fixture.connectedWith();
    await fixture.drawn();
    expect(fixture.read()).toEqual([
      'This app is too old',
      `${en.errors['CW-806']} The plugin cannot run in Photoshop 27.4.0. Files you have added are safe.`,
      'CW-806',
    ]);
  });
});

describe('the keyboard focus', () => {
  it('is shown around a button, unless the mouse brought it there', async () => {
    const fixture = new PanelFixture();
    fixture.session.set({ kind: 'signed-out' });
    await fixture.drawn();
    const button = fixture.page.querySelector('sp-button[variant=cta]');
    const frame = button?.parentElement;
    const send = (type: string): void => {
      button?.dispatchEvent(new Event(type, { bubbles: true }));
    };
    send('focusin');
    await fixture.clock.settle();
    expect(frame?.className).toBe('button wide focused');
    send('focusout');
    await fixture.clock.settle();
    expect(frame?.className).toBe('button wide');
    send('pointerdown');
    send('focusin');
    await fixture.clock.settle();
    expect(frame?.className).toBe('button wide');
    send('keydown');
    await fixture.clock.settle();
    expect(frame?.className).toBe('button wide focused');
  });

  const control = (fixture: PanelFixture, text: string): HTMLElement | undefined =>
    [...fixture.page.querySelectorAll<HTMLElement>('sp-button, .control')].find(
      (element) => element.textContent === text,
    );
  const focused = (): string | undefined => document.activeElement?.textContent;

  it('stays in the panel when the button that was pressed goes away', async () => {
    const fixture = new PanelFixture();
    fixture.connectedWith(item('a.jpg'));
    await fixture.drawn();
    control(fixture, 'Pause')?.focus();
    await fixture.drawn();
    fixture.change({ paused: true });
    await fixture.drawn();
    expect(focused()).toBe('Resume');
    fixture.change({ paused: false });
    await fixture.drawn();
    expect(focused()).toBe('Pause');
    fixture.show(item('a.jpg', 'uploaded'));
    await fixture.drawn();
    expect(focused()).toBe('Add photos');
  });

  it('moves with the view when it changes', async () => {
    const fixture = new PanelFixture();
    fixture.session.set({ kind: 'signed-out' });
    await fixture.drawn();
    control(fixture, 'Connect')?.focus();
    fixture.signIn.set({ kind: 'requesting' });
    await fixture.drawn();
    expect(focused()).toBe('Cancel');
    fixture.showCode();
    await fixture.drawn();
    expect(focused()).toBe('Open browser');
    fixture.session.set({ kind: 'signed-in', trouble: null });
    await fixture.drawn();
    expect(focused()).toBe('Add photos');
  });

  it('goes to a question when one appears', async () => {
    const fixture = new PanelFixture();
    fixture.connectedWith(item('a.jpg'));
    await fixture.drawn();
    control(fixture, 'Add photos')?.focus();
    fixture.change({ question: { photos: 1 } });
    await fixture.drawn();
    expect(document.activeElement?.className).toBe('notice question');
  });

  it('moves through a menu, which Escape closes, and goes back to its control', async () => {
    const fixture = new PanelFixture();
    fixture.connectedWith();
    await fixture.drawn();
    const press = async (key: string): Promise<void> => {
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      await fixture.drawn();
    };
    control(fixture, en.accountMenu)?.focus();
    await press('Enter');
    expect(focused()).toBe(en.photosInBrowser);
    await press('ArrowDown');
    expect(focused()).toBe(en.anotherAccount);
    await press('ArrowUp');
    await press('ArrowUp');
    expect(focused()).toBe(en.disconnect);
    await press('Escape');
    expect(fixture.entries()).toEqual([]);
    expect(focused()).toBe(en.accountMenu);
  });
});

it('the panel marks its language', () => {
  const german = new PanelFixture({ strings: stringsIn('de') });
  expect(german.page.querySelector('.panel')?.getAttribute('lang')).toBe('de');
});
