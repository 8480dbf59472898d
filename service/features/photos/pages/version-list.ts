import { html, type Html } from '../../../platform/html-tag.js';
import type { Translator } from '../../../platform/i18n/translator.js';
import { PHOTOS } from '../../../platform/paths/photo-paths.js';
import type { Photo } from '../data/photo.js';
import { thumbnailImage } from './thumbnail-image.js';
import { MAX_COUNTED, type Version } from '../data/version-table.js';

/** How many other versions the page of a photo shows. */
export const SHOWN_VERSIONS = 20;

/**
 * The other versions on the page of a photo; undefined when there are none.
 * @param versions newest first, the photo itself included; one more than are shown, to see whether there are more.
 */
export function versionList(
  translator: Translator,
  photo: Photo,
  versions: readonly Version[],
): Html | undefined {
  const others = versions.filter(({ id }) => id !== photo.id);
  if (others.length === 0) {
    return undefined;
  }
  return html`<h2>${translator.t('versions')}</h2>
    <p class="small soft">${translator.t('versionsText', { person: photo.uploaderName })}</p>
    ${newestLine(translator, photo, versions[0]?.id)}
    <ul class="photos">
      ${others.slice(0, SHOWN_VERSIONS).map((version) => listed(translator, photo, version))}
    </ul>
    ${
      others.length > SHOWN_VERSIONS
        ? html`<p class="small">${translator.withLink('moreVersions', allOfName(photo))}</p>`
        : undefined
    }`;
}

/** The notice about a newer version. A photo in the trash is no longer a version. */
function newestLine(
  translator: Translator,
  { id, trashedAt }: Photo,
  newest: string | undefined,
): Html | undefined {
  if (trashedAt !== undefined || newest === undefined) {
    return undefined;
  }
  return newest === id
    ? html`<p>${translator.t('newestVersion')}</p>`
    : html`<p>${translator.withLink('newerVersion', PHOTOS.photo(newest))}</p>`;
}

function listed(translator: Translator, photo: Photo, version: Version): Html {
  const { id, size, width, height, sha256, uploadedAt } = version;
  const sides =
    width === undefined || height === undefined
      ? undefined
      : html` · ${translator.t('pixels', { width, height })}`;
  return html`<li>
    ${thumbnailImage(id)}
    <div>
      <p><a href="${PHOTOS.photo(id)}">${translator.time(uploadedAt)}</a></p>
      <p class="small">${translator.bytes(size)}${sides}</p>
      <p class="small soft">
        ${translator.t(sha256 === photo.sha256 ? 'versionSame' : 'versionDiffers')}
      </p>
    </div>
  </li>`;
}

/** In the list, next to the newest of several versions: how many there are. */
export function versionCount(translator: Translator, count: number | undefined): Html | undefined {
  if (count === undefined) {
    return undefined;
  }
  const shown = count < MAX_COUNTED ? count : `${MAX_COUNTED - 1}+`;
  return html` · ${translator.t('versionCount', { count: shown })}`;
}

function allOfName({ workspaceId, name, accountId }: Photo): string {
  const query = new URLSearchParams({ workspace: workspaceId, name, person: accountId });
  return `${PHOTOS.root}?${query.toString()}`;
}
