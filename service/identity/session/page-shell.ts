import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, page, PRODUCT_MARK, type Page } from '../../kernel/html/layout.js';
import type { Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import type { MenuEntry } from '../../kernel/module.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import { SETTINGS } from '../../site/addresses/settings-paths.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import type { ShownNotice } from '../notices/notice-words.js';
import type { Membership } from '../accounts/accounts.js';

/** The parts that all pages of signed-in users share. */
export interface PageShell {
  /** The pages of all menus, sorted. */
  readonly menu: readonly MenuEntry[];
  readonly csrf: string;
  readonly accountName: string;
  readonly username: string;
  readonly memberships: readonly Membership[];
  /** The workspace that the page is about; undefined for a user without one. */
  readonly workspace: Membership | undefined;
  /** Where the page can be read again: path and query. */
  readonly address: string;
  /** What the user is to be shown until they dismiss it, the newest first. */
  readonly notices: readonly ShownNotice[];
  /** The completed action, in one sentence. */
  readonly flash: Message | undefined;
  /** The address of the form that undoes it; undefined if it cannot be undone. */
  readonly undo?: string | undefined;
  /** Why the last action was refused, in one sentence. */
  readonly problem?: Message | undefined;
}

/**
 * A page for a signed-in user: the header with the menus, the message about the last action, and the content.
 * @param section that of an entry of the menu: of this page, or of the page that this one is below
 */
export function renderShell(
  title: Page['title'],
  section: string,
  shell: PageShell,
  content: (translator: Translator) => Html,
  {
    search,
    showsPictures,
  }: {
    readonly search?: (translator: Translator) => Html;
    readonly showsPictures?: boolean;
  } = {},
): Page {
  const entry = shell.menu.find((one) => one.section === section);
  const ofSettings = entry?.menu === 'settings' ? entry : undefined;
  const isOfPictures = entry?.showsPictures === true;
  return page(
    title,
    (translator) =>
      html`${ofSettings && settingsMenu(translator, section, shell)} ${noticeBox(translator, shell)}
      ${doneBox(translator, shell)} ${ofSettings && backLink(translator, title, ofSettings, shell)}
      ${content(translator)}`,
    {
      width: isOfPictures ? 'full' : 'wide',
      showsPictures: showsPictures ?? isOfPictures,
      client: isOfPictures ? 'gallery' : 'page',
      header: (translator) => header(translator, section, shell, search?.(translator)),
    },
  );
}

function header(
  translator: Translator,
  section: string,
  shell: PageShell,
  search: Html | undefined,
): Html {
  const { workspace } = shell;
  const query = workspaceQuery(shell);
  return html`<a class="home" href="${PHOTOS.root}${query}"
      >${PRODUCT_MARK}${verbatim(workspace?.name ?? 'Creative Workspace')}</a
    >
    <nav aria-label="${translator.t('mainMenu')}">
      ${entriesOf(shell, 'main').map(({ section: target, path, label }) =>
        menuLink(path + query, translator.t(label), section === target ? 'page' : undefined),
      )}
    </nav>
    ${search} ${accountMenu(translator, section, shell)}`;
}

/** The query for the workspace of the page. A user of one workspace has short addresses. */
function workspaceQuery({ workspace, memberships }: PageShell): string {
  return workspace === undefined || memberships.length < 2
    ? ''
    : `?${new URLSearchParams({ workspace: workspace.id }).toString()}`;
}

/** On a page below one of the pages in the menu of Settings: the way back to that. */
function backLink(
  translator: Translator,
  title: Page['title'],
  { isOfWorkspace, path, label }: MenuEntry,
  shell: PageShell,
): Html | undefined {
  const query = isOfWorkspace === true ? workspaceQuery(shell) : '';
  return title === label
    ? undefined
    : html`<p class="back"><a href="${path}${query}">${translator.t(label)}</a></p>`;
}

/** Who is signed in, in which workspace, and the way to Settings. It opens without scripts. */
function accountMenu(translator: Translator, section: string, shell: PageShell): Html {
  const { accountName: name, username, workspace, memberships } = shell;
  const entry = shell.menu.find((one) => one.section === section);
  const path = entry?.isOfWorkspace === true ? entry.path : PHOTOS.root;
  // Owners have these pages; a member of the other workspace gets its people.
  const pathAt = ({ role }: Membership): string =>
    entry?.isForOwners === true && role !== 'owner' ? PEOPLE_PATHS.people : path;
  return html`<details class="menu account">
    <summary aria-label="${translator.t('accountMenu', { name })}">
      <span class="avatar" data-initials="${initials(name)}" aria-hidden="true"></span>
    </summary>
    <div>
      <p>
        <strong>${verbatim(name)}</strong><br /><bdi class="soft small" translate="no"
          >${username}</bdi
        >
      </p>
      ${
        memberships.length < 2
          ? undefined
          : html`<p class="soft small">${translator.t('workspace')}</p>
              <ul>
                ${memberships.map(
                  (one) =>
                    html`<li>
                      ${menuLink(
                        `${pathAt(one)}?${new URLSearchParams({ workspace: one.id }).toString()}`,
                        one.name,
                        one.id === workspace?.id ? 'true' : undefined,
                      )}
                    </li>`,
                )}
              </ul>`
      }
      <ul>
        <li><a href="${PEOPLE_PATHS.account}">${translator.t('settings')}</a></li>
        <li><a href="${SETTINGS.apps}">${translator.t('connectedApps')}</a></li>
      </ul>
      <form method="post" action="${SETTINGS.signOut}">
        ${csrfField(shell)}
        <button type="submit" class="quiet small">${translator.t('signOut')}</button>
      </form>
    </div>
  </details>`;
}

/** The first letters of the first and the last word. */
function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return letters
    .map((word = '') => firstLetter(word))
    .join('')
    .toLocaleUpperCase();
}

function firstLetter(word: string): string {
  const [first] = new Intl.Segmenter().segment(word);
  return first?.segment ?? '';
}

function settingsMenu(translator: Translator, section: string, shell: PageShell): Html {
  const isOwner = shell.memberships.some(({ role }) => role === 'owner');
  const entries = entriesOf(shell, 'settings').filter(
    ({ isForOwners }) => isOwner || isForOwners !== true,
  );
  return html`<nav aria-label="${translator.t('settings')}" class="second">
    ${entries.map(({ section: target, path, label }) =>
      menuLink(path, translator.t(label), section === target ? 'page' : undefined),
    )}
  </nav>`;
}

function entriesOf(shell: PageShell, menu: MenuEntry['menu']): readonly MenuEntry[] {
  return shell.menu.filter((entry) => entry.menu === menu);
}

/** @param current  `page` for the page itself, `true` for a part of the site that the page belongs to (WAI-ARIA) */
function menuLink(path: string, label: string, current: 'page' | 'true' | undefined): Html {
  const mark = current === undefined ? undefined : html` aria-current="${current}"`;
  return html`<a href="${path}" ${mark}>${label}</a> `;
}

/** What happened to the account of the user, so that they can act if it was somebody else. */
function noticeBox(translator: Translator, shell: PageShell): Html | undefined {
  if (shell.notices.length === 0) {
    return undefined;
  }
  return html`<section class="notice">
    <ul>
      ${shell.notices.map(
        ({ message, path, createdAt }) =>
          html`<li>
            <div>
              <p><strong>${translator.markup(message)}</strong></p>
              <p class="small soft">${translator.time(new Date(createdAt))}</p>
            </div>
            <a class="button quiet small" href="${path}">${translator.t('noticeReview')}</a>
          </li>`,
      )}
    </ul>
    <form method="post" action="${SETTINGS.notices}">
      ${csrfField(shell)}
      <input type="hidden" name="ids" value="${shell.notices.map(({ id }) => id).join(' ')}" />
      <input type="hidden" name="page" value="${shell.address}" />
      <button type="submit" class="quiet small">${translator.t('dismiss')}</button>
    </form>
  </section>`;
}

function doneBox(translator: Translator, shell: PageShell): Html | undefined {
  if (shell.flash === undefined) {
    return errorBox(translator, shell.problem);
  }
  const undo =
    shell.undo === undefined
      ? undefined
      : html`<form method="post" action="${shell.undo}">
          ${csrfField(shell)}
          <button type="submit" name="action" value="undo" class="quiet small">
            ${translator.t('undo')}
          </button>
        </form>`;
  return html`<div class="good">
    <p role="status">${translator.markup(shell.flash)}</p>
    ${undo}
  </div>`;
}
