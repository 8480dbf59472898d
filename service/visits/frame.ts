import { markup, type Html } from '../pages/html.js';
import { page, type Page } from '../pages/layout.js';
import type { PlainKey, Sentence } from '../pages/sentence.js';
import type { Speech } from '../pages/speech.js';
import { PEOPLE } from '../people/paths.js';
import { PHOTOS } from '../photos/paths.js';
import { PROJECTS } from '../projects/paths.js';
import { SETTINGS } from '../settings/paths.js';
import { SHARES } from '../shares/paths.js';
import { csrfField } from './form-fields.js';

/** What every page shows to a person who is signed in. */
export interface Frame {
  readonly csrf: string;
  readonly accountName: string;
  /** Something that was just done, in one sentence. */
  readonly done: Sentence | undefined;
  /** Where a form takes it back; undefined where that cannot be. */
  readonly undo?: string | undefined;
}

type Section =
  'photos' | 'projects' | 'shares' | 'trash' | 'people' | 'apps' | 'developer' | 'account';

const MENU: readonly (readonly [Section, path: string, label: PlainKey])[] = [
  ['photos', PHOTOS.root, 'photos'],
  ['projects', PROJECTS.root, 'projects'],
  ['shares', SHARES.root, 'shares'],
  ['trash', PHOTOS.trash, 'trash'],
  ['people', PEOPLE.people, 'people'],
  ['apps', SETTINGS.apps, 'connectedApps'],
  ['developer', SETTINGS.developer, 'developer'],
  ['account', PEOPLE.account, 'account'],
];

/** A page for a person who is signed in: the menu, what was just done, and the content. */
export function framedPage(
  title: Page['title'],
  section: Section,
  frame: Frame,
  content: (speech: Speech) => Html,
): Page {
  return page(
    title,
    (speech) =>
      markup`<nav aria-label="${speech.text('mainMenu')}">
          ${MENU.map(
            ([target, path, label]) =>
              markup`<a href="${path}"${section === target ? markup` aria-current="page"` : undefined}
                >${speech.text(label)}</a
              > `,
          )}
          <form method="post" action="${SETTINGS.signOut}">
            ${csrfField(frame)}
            <button type="submit" class="quiet small">${speech.text('signOut')}</button>
          </form>
        </nav>
        ${doneBox(speech, frame)} ${content(speech)}`,
    'wide',
    section === 'photos' || section === 'trash',
  );
}

function doneBox(speech: Speech, frame: Frame): Html | undefined {
  if (frame.done === undefined) {
    return undefined;
  }
  const undo =
    frame.undo === undefined
      ? undefined
      : markup`<form method="post" action="${frame.undo}">
          ${csrfField(frame)}
          <button type="submit" name="action" value="restore" class="quiet small">
            ${speech.text('undo')}
          </button>
        </form>`;
  return markup`<div class="good">
    <p role="status">${speech.tell(frame.done)}</p>
    ${undo}
  </div>`;
}
