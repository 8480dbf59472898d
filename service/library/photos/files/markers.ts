import type { ServerResponse } from 'node:http';
import { canView, type PageHandler } from '../../../identity/index.js';
import { sendPage } from '../../../kernel/http/responses.js';
import { message } from '../../../kernel/i18n/message.js';
import {
  filmComments,
  MARKER_FORMATS,
  readMarkerOptions,
  type FeedbackTable,
  type FilmComments,
  type MarkerFormat,
} from '../../feedback/index.js';
import type { PhotoTable } from '../data/photo-table.js';
import { photoErrorPage, photoNotFoundPage } from '../pages/not-found-page.js';
import { disposition, setFileHeaders } from './send-file.js';

/** Sends the comments with a time of a film as markers for editing programs. The film is its current version. */
export function markers({
  photos,
  answers,
}: {
  readonly photos: PhotoTable;
  readonly answers: FeedbackTable;
}): PageHandler {
  return async (context) => {
    const { response, id, account, memberships, query, method } = context;
    const film = await photos.findCurrent(id);
    const format = markerFormat(query.get('format'));
    if (film === undefined || format === undefined || !canView(film, account.id, memberships)) {
      sendPage(context, 404, photoNotFoundPage());
      return;
    }
    const comments = filmComments(
      film,
      await answers.ofPhoto(film.photoId),
      readMarkerOptions(query),
    );
    if (typeof comments === 'string') {
      const problem = comments === 'no-rate' ? 'markersNeedRate' : 'markersUnreadable';
      sendPage(context, 422, photoErrorPage(message(problem)));
    } else {
      sendMarkers(response, { format, comments, isHead: method === 'HEAD' });
    }
  };
}

/** The format of a name; undefined for another name. */
export function markerFormat(name: string | null): MarkerFormat | undefined {
  return name !== null && Object.hasOwn(MARKER_FORMATS, name) ? (name as MarkerFormat) : undefined;
}

export function sendMarkers(
  response: ServerResponse,
  {
    format,
    comments,
    isHead,
  }: { readonly format: MarkerFormat; readonly comments: FilmComments; readonly isHead: boolean },
): void {
  const { type, write } = MARKER_FORMATS[format];
  const sent = Buffer.from(write(comments));
  const name = comments.film.name.replace(/\.[^.]{1,5}$/, '');
  setFileHeaders(response);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Disposition', disposition(`${name}.${format}`));
  response.setHeader('Content-Length', sent.length);
  response.end(isHead ? undefined : sent);
}
