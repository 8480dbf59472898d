import type { IncomingMessage } from 'node:http';
import { sendPage, sendStatus } from '../../../kernel/http/responses.js';
import { canView, type PageHandler } from '../../../identity/index.js';
import { photoNotFoundPage } from '../pages/not-found-page.js';
import type { Photo } from '../data/photo.js';
import { permissionOf, sendPhotoWhilePermitted } from './download-permission.js';
import { refuseDownload, type DownloadDeps } from './download.js';
import { sendFile } from './send-file.js';

/**
 * The types of films that are played, and the type that browsers get. They take the container of QuickTime only by the name of
 * MP4, which came from it. Nothing else that strangers upload is shown without being saved.
 */
const PLAYED_AS: Readonly<Record<string, string>> = {
  'video/mp4': 'video/mp4',
  'video/x-m4v': 'video/mp4',
  'video/quicktime': 'video/mp4',
  'video/webm': 'video/webm',
};

/** Codecs that no browser has. */
const UNPLAYABLE = ['prores', 'other'];

/** The places of a page that show what they load as a page. */
const PAGES = ['document', 'iframe', 'frame', 'embed', 'object'];

/** The media type by which browsers play a film; undefined for everything that none of them plays. */
export function playedAs({
  mediaType,
  media,
}: Pick<Photo, 'mediaType' | 'media'>): string | undefined {
  const codec = media?.kind === 'video' ? media.videoCodec : undefined;
  return codec === undefined || UNPLAYABLE.includes(codec) ? undefined : PLAYED_AS[mediaType ?? ''];
}

/** Whether a browser wants to show the film in place of a page, by [Fetch Metadata](https://www.w3.org/TR/fetch-metadata/). */
export function isForPage({ headers }: IncomingMessage): boolean {
  const wanted = headers['sec-fetch-dest'];
  return typeof wanted === 'string' && PAGES.includes(wanted);
}

/**
 * Sends a film to the player of a page, from this service: a signed address of the storage would end before a long film.
 * As much is read as the player takes.
 */
export function play(deps: Omit<DownloadDeps, 'content'>): PageHandler {
  const { photos, accounts, store, open } = deps;
  return async (context) => {
    const { request, response, id, account, memberships } = context;
    const photo = await photos.find(id);
    if (photo === undefined || !canView(photo, account.id, memberships)) {
      sendPage(context, 404, photoNotFoundPage());
      return;
    }
    const type = playedAs(photo);
    if (type === undefined || isForPage(request)) {
      sendStatus(response, type === undefined ? 404 : 403);
      return;
    }
    const reader = { response, permission: permissionOf(accounts, account.id) };
    const isAllowed = await open.run(account.id, () =>
      sendPhotoWhilePermitted(deps, id, reader, () =>
        sendFile(store, { ...photo, playedAs: type }, context),
      ),
    );
    if (!isAllowed) {
      refuseDownload(context);
    }
  };
}
