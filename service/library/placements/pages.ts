import { renderShell, type PageShell } from '../../identity/index.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, verbatim, type Html } from '../../kernel/html-tag.js';
import type { Page } from '../../kernel/html/layout.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import type { Use, UsedFile, Uses } from './placement-table.js';

/** How many files a page names. */
export const SHOWN_USES = 20;

/** What a file is used in, and what it contains; nothing where there is neither. */
export function placementsOf(translator: Translator, { usedIn, contains }: Uses): Html {
  return html`${section(translator, 'usedIn', usedIn)} ${section(translator, 'contains', contains)}`;
}

function section(
  translator: Translator,
  heading: keyof typeof WORDS,
  uses: readonly Use[],
): Html | undefined {
  return uses.length === 0
    ? undefined
    : html`<h2>${translator.t(heading)}</h2>
        <ul class="uses">
          ${uses.slice(0, SHOWN_USES).map(
            (use) =>
              html`<li>
                <a href="${PHOTOS.photo(use.id)}">${verbatim(use.name)}</a>
                <span class="soft small">${versionText(translator, heading, use)}</span>
              </li>`,
          )}
          ${more(translator, uses)}
        </ul>`;
}

/** Which version a file uses, or which one is in this file. */
const WORDS = {
  usedIn: { current: 'usesCurrentVersion', numbered: 'usesVersion', other: 'usesOtherVersion' },
  contains: {
    current: 'currentVersion',
    numbered: 'containsVersion',
    other: 'containsOtherVersion',
  },
} as const;

function versionText(translator: Translator, section: keyof typeof WORDS, use: Use): string {
  const { version, currentVersion: current } = use;
  const words = WORDS[section];
  if (use.isCurrent) {
    return translator.t(words.current);
  }
  return version === undefined || current === undefined
    ? translator.t(words.other)
    : translator.t(words.numbered, { number: version, current });
}

function more(translator: Translator, { length }: readonly unknown[]): Html | undefined {
  return length > SHOWN_USES
    ? html`<li class="soft small">${translator.t('andMoreFiles')}</li>`
    : undefined;
}

/** The question before files that are used in others are put into the trash. */
export function usedPage(
  shell: PageShell,
  {
    form,
    used,
    action,
    back,
  }: {
    /** That asked for it. Its fields are sent again. */
    readonly form: URLSearchParams;
    /** At most one more than {@link SHOWN_USES}. */
    readonly used: readonly UsedFile[];
    /** The address of the form. */
    readonly action: string;
    readonly back: string;
  },
): Page {
  const fields = [...form].filter(([name]) => FIELDS.includes(name));
  const title: PlainKey = 'usedFilesToTrash';
  return renderShell(title, 'photos', shell, (translator) => {
    return html`<h1>${translator.t(title)}</h1>
      <p>${translator.t('usedFilesText')}</p>
      <ul class="uses">
        ${used.slice(0, SHOWN_USES).map(
          ({ name, container }) =>
            html`<li>
              ${translator.html('fileUsedIn', {
                file: verbatim(name),
                container: html`<a href="${PHOTOS.photo(container.id)}"
                  >${verbatim(container.name)}</a
                >`,
              })}
            </li>`,
        )}
        ${more(translator, used)}
      </ul>
      <form method="post" action="${action}" class="question">
        ${csrfField(shell)}
        <input type="hidden" name="action" value="trash" />
        <input type="hidden" name="confirm" value="yes" />
        ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <p class="pager">
          <button type="submit" class="small">${translator.t('moveToTrash')}</button>
          <a class="button quiet small" href="${back}">${translator.t('cancel')}</a>
        </p>
      </form>`;
  });
}

/** The fields of a selection. */
const FIELDS: readonly string[] = ['photo', 'all', 'except'];
