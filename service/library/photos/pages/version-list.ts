import { html, type Html, verbatim } from '../../../kernel/html-tag.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { csrfField } from '../../../kernel/html/form-fields.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import type { PageShell } from '../../../identity/index.js';
import type { Photo } from '../data/photo.js';
import { formatCursor } from '../data/photo-query.js';
import type { AppNames } from '../data/app-names.js';
import { pictureAddresses, pictureImage } from './picture-image.js';
import { MAX_COUNTED, type Version } from '../data/version-table.js';

/** How many versions the page of a photo shows at a time. */
export const SHOWN_VERSIONS = 50;

/** The versions on the page of a photo. */
export interface ShownVersions {
  /** The current version. */
  readonly photo: Photo;
  /** The address of the page, with the list that the photo was opened from. */
  readonly address: string;
  /** Newest first; one more than are shown, to see whether there are more. */
  readonly versions: readonly Version[];
  /** Whether they begin with the newest. */
  readonly isFirstPart: boolean;
  /** Whether the user may choose another one. */
  readonly isTheirs: boolean;
  readonly apps: AppNames;
}

/** The versions on the page of a photo; undefined when it has only one. */
export function versionList(
  translator: Translator,
  shell: PageShell,
  view: ShownVersions,
): Html | undefined {
  const { address, versions, isFirstPart } = view;
  if (isFirstPart && versions.length < 2) {
    return undefined;
  }
  const shown = versions.slice(0, SHOWN_VERSIONS);
  const hasMore = versions.length > SHOWN_VERSIONS;
  const last = shown.at(-1);
  return html`<h2 id="versions">${translator.t('versions')}</h2>
    <form method="post" action="${address}">
      ${csrfField(shell)}
      <input type="hidden" name="action" value="use" />
      <ul class="versions">
        ${shown.map((version, index) =>
          listed(translator, version, view, {
            number: isFirstPart && !hasMore ? shown.length - index : undefined,
            before: versions[index + 1],
          }),
        )}
      </ul>
    </form>
    ${
      hasMore && last !== undefined
        ? html`<p class="pager">
            <a
              class="button quiet small"
              rel="next"
              href="${address}${address.includes('?') ? '&' : '?'}before=${formatCursor({ at: last.uploadedAt, id: last.id })}#versions"
              >${translator.t('olderVersions')}</a
            >
          </p>`
        : undefined
    }
    <p class="small soft">${translator.t('versionsText')}</p>`;
}

function listed(
  translator: Translator,
  version: Version,
  { photo, isTheirs, apps }: ShownVersions,
  {
    number,
    before,
  }: {
    /** The first version is number 1; undefined when that is not known. */
    readonly number: number | undefined;
    /** The version before it, if it is known. */
    readonly before: Version | undefined;
  },
): Html {
  const { id, isCurrent, name, size, sha256, uploadedAt } = version;
  const app = apps(version.clientId);
  const change =
    before && translator.t(before.sha256 === sha256 ? 'versionIdentical' : 'versionEdited');
  const compared = new URLSearchParams({ with: id }).toString();
  return html`<li>
    <a href="${pictureAddresses(version).preview}"
      >${pictureImage(version, { sizes: '72px', alt: name })}</a
    >
    <div>
      <h3>
        ${number === undefined ? undefined : html`${translator.t('versionOf', { number })} · `}${translator.time(uploadedAt)}
      </h3>
      <p class="soft">
        ${isCurrent ? html`<strong>${translator.t('currentVersion')}</strong> · ` : undefined}${
          name === photo.name ? undefined : html`${verbatim(name)} · `
        }${typeof app === 'string' ? verbatim(app) : translator.format(app)}
        · ${translator.bytes(size)}${change && ` · ${change}`}
      </p>
      <p class="choices">
        ${
          isCurrent
            ? undefined
            : html`<a href="${PHOTOS.compare(photo.id)}?${compared}">${translator.t('compare')}</a>`
        }
        ${
          isTheirs && photo.trashedAt === undefined && !isCurrent
            ? html`<button type="submit" name="version" value="${id}" class="link">
                ${translator.t('useVersion')}
              </button>`
            : undefined
        }
        ${
          isTheirs && photo.trashedAt === undefined && id !== photo.photoId
            ? html`<button type="submit" name="detach" value="${id}" class="link">
                ${translator.t('detachVersion')}
              </button>`
            : undefined
        }
        <a href="${PHOTOS.file(id)}" download>${translator.t('download')}</a>
      </p>
    </div>
  </li>`;
}

/** In the list, on a photo with several versions: the number of the last one. */
export function versionBadge(translator: Translator, count: number | undefined): Html | undefined {
  if (count === undefined) {
    return undefined;
  }
  const shown = count < MAX_COUNTED ? String(count) : `${MAX_COUNTED - 1}+`;
  return html`<p class="badge" title="${translator.t('versionCount', { count: shown })}">
    v${shown}
  </p>`;
}
