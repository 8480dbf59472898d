import { describe, expect, it } from '@jest/globals';
import { shellTexts } from '../../build/shell-texts.js';
import { LANGUAGES } from '../../src/ui/i18n/language.js';
import { drawShell, SHELL_MENU, type ShellTexts } from '../../src/panel/shell.js';
import { PanelFixture } from './fixture.js';
import { stringsIn } from '../ui/i18n/translations.js';

const textsIn = (language: string): ShellTexts => shellTexts()[language] as ShellTexts;

/** The panel's markup without what makes its controls work. */
function picture(page: HTMLElement): string {
  const copy = page.querySelector('.panel')?.cloneNode(true) as HTMLElement;
  for (const control of copy.querySelectorAll('[tabindex]')) {
    control.removeAttribute('tabindex');
    control.classList.remove('help-toggle');
  }
  return copy.outerHTML;
}

describe('the shell', () => {
  it.each(LANGUAGES)('looks as the panel does at first, in %s', (language) => {
    const { page } = new PanelFixture({ strings: stringsIn(language) });
    const shell = document.createElement('div');
    drawShell(shell, language, textsIn(language), false);
    expect(picture(shell)).toBe(picture(page));
  });

  it('is gone when the panel is shown, and is drawn once', () => {
    const fixture = new PanelFixture({ isShown: false });
    const page = document.createElement('div');
    drawShell(page, 'en', textsIn('en'), false);
    drawShell(page, 'en', textsIn('en'), false);
    expect(page.querySelectorAll('.panel')).toHaveLength(1);
    fixture.panel.show(page);
    expect(page.querySelectorAll('.shell')).toHaveLength(0);
    expect(page.querySelectorAll('.panel')).toHaveLength(1);
  });

  it('has the entries of the menu', () => {
    expect(SHELL_MENU.map(({ id }) => id)).toEqual([
      'add-photos',
      'pause-or-resume',
      'another-account',
      'copy-diagnostics',
      'disconnect',
    ]);
  });
});
