import { html, type Html } from '../../../platform/html-tag.js';
import type { Translator } from '../../../platform/i18n/translator.js';
import { csrfField } from '../../../platform/html/form-fields.js';
import { PHOTOS } from '../../../platform/paths/photo-paths.js';
import type { PageShell } from '../../../auth/session/page-shell.js';
import type { Photo } from '../data/photo.js';
import { formatCursor } from '../data/photo-query.js';
import { thumbnailImage } from './thumbnail-image.js';
import { MAX_COUNTED, type Version } from '../data/version-table.js';

/** How many versions the page of a photo shows at a time. */
export const SHOWN_VERSIONS = 50;

/** The versions on the page of a photo. */
interface ShownVersions {
  /** The current version. */
  readonly photo: Photo;
  /** Newest first; one more than are shown, to see whether there are more. */
  readonly versions: readonly Version[];
  /** Whether they begin with the newest. */
  readonly isFirstPart: boolean;
  /** Whether the user may choose another one. */
  readonly isTheirs: boolean;
}

/** The versions on the page of a photo; undefined when it has only one. */
export function versionList(
  translator: Translator,
  frame: PageShell,
  { photo, versions, isFirstPart, isTheirs }: ShownVersions,
): Html | undefined {
  if (isFirstPart && versions.length < 2) {
    return undefined;
  }
  const shown = versions.slice(0, SHOWN_VERSIONS);
  const hasMore = versions.length > SHOWN_VERSIONS;
  const last = shown.at(-1);
  const mayChoose = isTheirs && photo.trashedAt === undefined;
  return html`<h2 id="versions">${translator.t('versions')}</h2>
    <p class="small soft">${translator.t('versionsText')}</p>
    <form method="post" action="${PHOTOS.photo(photo.photoId)}">
      ${csrfField(frame)}
      <input type="hidden" name="action" value="use" />
      <ul class="rows">
        ${shown.map((version, index) =>
          listed(translator, version, {
            heading:
              isFirstPart && !hasMore
                ? translator.t('versionOf', { number: shown.length - index, count: shown.length })
                : undefined,
            mayChoose,
          }),
        )}
      </ul>
    </form>
    ${
      hasMore && last !== undefined
        ? html`<p class="pager">
            <a
              class="button quiet"
              rel="next"
              href="${PHOTOS.photo(photo.photoId)}?before=${formatCursor({ at: last.uploadedAt, id: last.id })}#versions"
              >${translator.t('olderVersions')}</a
            >
          </p>`
        : undefined
    }`;
}

function listed(
  translator: Translator,
  version: Version,
  { heading, mayChoose }: { readonly heading: string | undefined; readonly mayChoose: boolean },
): Html {
  const { id, isCurrent, name, size, width, height, uploadedAt } = version;
  const sides =
    width === undefined || height === undefined
      ? undefined
      : html` · ${translator.t('pixels', { width, height })}`;
  return html`<li>
    ${thumbnailImage(id)}
    <div>
      <h3>
        ${heading ?? translator.time(uploadedAt)}${
          isCurrent ? html` · <strong>${translator.t('currentVersion')}</strong>` : undefined
        }
      </h3>
      <p class="small"><bdi>${name}</bdi></p>
      <p class="small">
        ${translator.bytes(size)}${sides}${
          heading === undefined ? undefined : html` · ${translator.time(uploadedAt)}`
        }
      </p>
      <p class="pager">
        <a class="button quiet small" href="${PHOTOS.file(id)}" download
          >${translator.t('download')}</a
        >
        ${
          mayChoose && !isCurrent
            ? html`<button type="submit" name="version" value="${id}" class="quiet small">
                ${translator.t('useVersion')}
              </button>`
            : undefined
        }
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
  return html`<p class="badge">
    <span aria-hidden="true">v${shown}</span
    ><span class="hidden-name">${translator.t('versionCount', { count: shown })}</span>
  </p>`;
}
