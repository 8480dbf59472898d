import { html, type Html } from '../../platform/html-tag.js';
import { errorBox, page, type Page } from '../../platform/html/layout.js';
import type { PlainKey, Message } from '../../platform/i18n/message.js';
import type { Translator } from '../../platform/i18n/translator.js';
import { PEOPLE_PATHS } from '../../platform/paths/people-paths.js';
import { PHOTOS } from '../../platform/paths/photo-paths.js';
import { PROJECTS } from '../../platform/paths/project-paths.js';
import { SETTINGS } from '../../platform/paths/settings-paths.js';
import { SHARES } from '../../platform/paths/share-paths.js';
import { csrfField } from '../../platform/html/form-fields.js';

/** The parts that all pages of signed-in users share. */
export interface PageShell {
  readonly csrf: string;
  readonly accountName: string;
  /** The completed action, in one sentence. */
  readonly flash: Message | undefined;
  /** The address of the form that undoes it; undefined if it cannot be undone. */
  readonly undo?: string | undefined;
  /** Why the last action was refused, in one sentence. */
  readonly problem?: Message | undefined;
}

type MainSection = 'photos' | 'projects' | 'shares' | 'trash';
type SettingsSection = 'account' | 'people' | 'apps' | 'developer';
type Section = MainSection | SettingsSection;

type Entry<S extends Section> = readonly [section: S, path: string, label: PlainKey];

/** The main menu. One more entry leads to Settings. */
const MENU: readonly Entry<MainSection>[] = [
  ['photos', PHOTOS.root, 'photos'],
  ['projects', PROJECTS.root, 'projects'],
  ['shares', SHARES.root, 'shares'],
  ['trash', PHOTOS.trash, 'trash'],
];

/** The menu of Settings: a second line, only on these pages. */
const SETTINGS_MENU: readonly Entry<SettingsSection>[] = [
  ['account', PEOPLE_PATHS.account, 'account'],
  ['people', PEOPLE_PATHS.people, 'people'],
  ['apps', SETTINGS.apps, 'connectedApps'],
  ['developer', SETTINGS.developer, 'developer'],
];

/** The sections whose pages show pictures. */
const PICTURE_SECTIONS: ReadonlySet<Section> = new Set<Section>(['photos', 'projects', 'trash']);

/** A page for a signed-in user: the menus, the message about the last action, and the content. */
export function renderShell(
  title: Page['title'],
  section: Section,
  frame: PageShell,
  content: (translator: Translator) => Html,
): Page {
  return page(
    title,
    (translator) =>
      html`${menus(translator, section, frame)} ${doneBox(translator, frame)} ${content(translator)}`,
    {
      width: 'wide',
      showsPictures: PICTURE_SECTIONS.has(section),
      client: PICTURE_SECTIONS.has(section) ? 'gallery' : 'page',
    },
  );
}

/** The main menu, and on pages of Settings their menu below it. */
function menus(translator: Translator, section: Section, frame: PageShell): Html {
  const isInSettings = SETTINGS_MENU.some(([target]) => target === section);
  return html`<nav aria-label="${translator.t('mainMenu')}">
      ${MENU.map(([target, path, label]) =>
        menuLink(path, translator.t(label), section === target ? 'page' : undefined),
      )}
      ${menuLink(PEOPLE_PATHS.account, translator.t('settings'), isInSettings ? 'true' : undefined)}
    </nav>
    ${isInSettings ? settingsMenu(translator, section, frame) : undefined}`;
}

function settingsMenu(translator: Translator, section: Section, frame: PageShell): Html {
  return html`<nav aria-label="${translator.t('settings')}" class="second">
    ${SETTINGS_MENU.map(([target, path, label]) =>
      menuLink(path, translator.t(label), section === target ? 'page' : undefined),
    )}
    <form method="post" action="${SETTINGS.signOut}">
      ${csrfField(frame)}
      <button type="submit" class="quiet small">${translator.t('signOut')}</button>
    </form>
  </nav>`;
}

/** @param current  `page` for the page itself, `true` for a part of the site that the page belongs to (WAI-ARIA) */
function menuLink(path: string, label: string, current: 'page' | 'true' | undefined): Html {
  const mark = current === undefined ? undefined : html` aria-current="${current}"`;
  return html`<a href="${path}" ${mark}>${label}</a> `;
}

function doneBox(translator: Translator, frame: PageShell): Html | undefined {
  if (frame.flash === undefined) {
    return errorBox(translator, frame.problem);
  }
  const undo =
    frame.undo === undefined
      ? undefined
      : html`<form method="post" action="${frame.undo}">
          ${csrfField(frame)}
          <button type="submit" name="action" value="undo" class="quiet small">
            ${translator.t('undo')}
          </button>
        </form>`;
  return html`<div class="good">
    <p role="status">${translator.format(frame.flash)}</p>
    ${undo}
  </div>`;
}
