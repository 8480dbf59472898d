import { markup, type Html } from '../pages/html.js';
import { page, type Page } from '../pages/layout.js';
import type { Sentence } from '../pages/sentence.js';
import type { Speech } from '../pages/speech.js';
import { csrfField } from './fields.js';
import { SETTINGS } from './paths.js';

/** What every page of Settings shows. */
export interface SettingsFrame {
  readonly csrf: string;
  readonly accountName: string;
  /** Something that was just done, in one sentence. */
  readonly done: Sentence | undefined;
}

type Section = 'apps' | 'developer';

/** A page of Settings: the menu, what was just done, and the content. */
export function settingsPage(
  title: Page['title'],
  section: Section,
  frame: SettingsFrame,
  content: (speech: Speech) => Html,
): Page {
  const link = (target: Section, path: string, label: string): Html =>
    markup`<a href="${path}"${section === target ? markup` aria-current="page"` : undefined}
      >${label}</a
    >`;
  return page(
    title,
    (speech) =>
      markup`<nav aria-label="${speech.text('settings')}">
          ${link('apps', SETTINGS.apps, speech.text('connectedApps'))}
          ${link('developer', SETTINGS.developer, speech.text('developer'))}
          <form method="post" action="${SETTINGS.signOut}">
            ${csrfField(frame)}
            <button type="submit" class="quiet small">${speech.text('signOut')}</button>
          </form>
        </nav>
        ${
          frame.done === undefined
            ? undefined
            : markup`<p class="good" role="status">${speech.tell(frame.done)}</p>`
        }
        ${content(speech)}`,
    'wide',
  );
}
