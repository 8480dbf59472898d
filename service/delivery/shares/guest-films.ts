import type { IncomingMessage } from 'node:http';
import { playedAs, type Guest, type Photo } from '../../library/index.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import type { GuestCookie } from './guest-cookie.js';
import type { Share } from './share.js';

/** For how long an address plays that works in one browser only: this long at least, and up to an hour more. In seconds. */
const PLAY_SECONDS = 3 * 3600;
const STEP_SECONDS = 3600;

/** A link with its guest. */
interface Watching {
  readonly share: Pick<Share, 'id' | 'watermark' | 'downloads'>;
  readonly token: string;
  readonly guest: Guest;
}

/** Whether a link has players: its films have no watermark, so a link with one shows their posters only. */
export function playsFilms({ watermark }: Pick<Share, 'watermark'>): boolean {
  return !watermark;
}

/**
 * Where a guest's browser finds a film to play; undefined where it does not play. A link that offers no originals gives an
 * address for this browser alone, and for some hours. That keeps it from being passed on. It does not keep a guest from
 * recording what plays.
 */
export function filmAddress(
  guests: Pick<GuestCookie, 'playToken'>,
  { share, token, guest }: Watching,
  photo: Photo,
  now: Date,
): string | undefined {
  if (!playsFilms(share) || playedAs(photo) === undefined) {
    return undefined;
  }
  const query = new URLSearchParams({ photo: photo.id });
  if (share.downloads !== 'original') {
    const seconds = now.getTime() / 1000 + PLAY_SECONDS;
    const until = Math.ceil(seconds / STEP_SECONDS) * STEP_SECONDS;
    query.set('until', String(until));
    query.set('code', guests.playToken({ id: share.id, token }, guest, photo.id, until));
  }
  return `${SHARES.play(token)}?${query.toString()}`;
}

/** Whether an address that {@link filmAddress} made plays in this browser now. */
export function mayPlay(
  guests: Pick<GuestCookie, 'isOwnFilm'>,
  { share, token }: Omit<Watching, 'guest'>,
  { request, query }: { readonly request: IncomingMessage; readonly query: URLSearchParams },
  now: Date,
): boolean {
  if (!playsFilms(share) || share.downloads === 'original') {
    return playsFilms(share);
  }
  const until = /^\d{1,12}$/.test(query.get('until') ?? '') ? Number(query.get('until')) : 0;
  const film = { photoId: query.get('photo') ?? '', until, given: query.get('code') };
  return now.getTime() / 1000 < until && guests.isOwnFilm(request, { id: share.id, token }, film);
}
