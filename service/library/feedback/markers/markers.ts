import type { MediaInfo } from '../../previews/index.js';
import type { Comment, Feedback } from '../feedback.js';
import {
  canDropFrames,
  frameAt,
  frameRateNamed,
  nearestFrameRate,
  parseTimeCode,
  type FrameRate,
  type TimeCodeStart,
} from './time-code.js';

/** A film whose comments become markers. */
export interface Film {
  readonly name: string;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly media: MediaInfo | undefined;
}

/** A comment at a time of a film. */
export interface TimedComment {
  readonly comment: Comment;
  /** Its first frame, from 0 for the first of the film, and how many frames it has, at least 1. */
  readonly frame: number;
  readonly frames: number;
}

/** The comments of a film, with what their frames are counted in. */
export interface FilmComments {
  readonly film: Film;
  readonly rate: FrameRate;
  readonly start: TimeCodeStart;
  /** How many frames the film has, at least 1. */
  readonly length: number;
  /** In the order of their times. */
  readonly comments: readonly TimedComment[];
}

/** A place of a timeline. Editing programs have one marker at a frame. */
export interface Marker {
  readonly frame: number;
  readonly frames: number;
  /** All comments at this frame, oldest first. */
  readonly comments: readonly Comment[];
  readonly isDone: boolean;
}

/** Which comments are wanted, and how their frames are counted. Empty members are those of the film. */
export interface MarkerOptions {
  /** The id of the link under which they were written. */
  readonly link: string;
  readonly state: '' | 'open' | 'done';
  /** A time code. */
  readonly start: string;
  /** The name of a frame rate. */
  readonly rate: string;
}

/** Why there are no markers: no film, an unknown frame rate, or what cannot be read. */
export type NoMarkers = 'film' | 'no-rate' | 'rate' | 'start';

const OPTIONS = ['link', 'state', 'start', 'rate'] as const;

/** Reads the options of an address. Missing ones are empty. */
export function readMarkerOptions(query: URLSearchParams): MarkerOptions {
  const [link, state, start, rate] = OPTIONS.map((name) => query.get(name)?.trim() ?? '');
  return {
    ...{ link: link ?? '', start: start ?? '', rate: rate ?? '' },
    state: state === 'open' || state === 'done' ? state : '',
  };
}

/** Whether an answer is a comment at a time of a film. */
export function isTimed(answer: Feedback): answer is Comment {
  return answer.kind === 'comment' && answer.place.startMs !== undefined;
}

/**
 * The comments with a time. A time beyond the end is the last frame.
 * @param answers all answers to the film
 */
export function filmComments(
  film: Film,
  answers: readonly Feedback[],
  options: MarkerOptions,
): FilmComments | NoMarkers {
  const { media } = film;
  if (media?.kind !== 'video') {
    return 'film';
  }
  const named = options.rate === '' ? undefined : frameRateNamed(options.rate);
  if (options.rate !== '' && named === undefined) {
    return 'rate';
  }
  const rate =
    named ?? (media.frameRate === undefined ? undefined : nearestFrameRate(media.frameRate));
  if (rate === undefined) {
    return 'no-rate';
  }
  const start =
    options.start === '' ? ownStart(media.timeCode, rate) : parseTimeCode(options.start, rate);
  if (start === undefined) {
    return 'start';
  }
  const wanted = answers
    .filter(isTimed)
    .filter(
      ({ shareId, doneAt }) =>
        (options.link === '' || shareId === options.link) &&
        (options.state === '' || (doneAt === undefined) === (options.state === 'open')),
    );
  const last = wanted.map(({ place }) => frameAt(place.endMs ?? place.startMs ?? 0, rate));
  const length = Math.max(
    1,
    media.duration === undefined
      ? Math.max(0, ...last) + 1
      : Math.round((media.duration * rate.frames) / rate.seconds),
  );
  const comments = wanted
    .map((comment) => {
      const { startMs = 0, endMs = startMs } = comment.place;
      const frame = Math.min(frameAt(startMs, rate), length - 1);
      const end = Math.min(frameAt(endMs, rate), length);
      return { comment, frame, frames: Math.max(1, end - frame) };
    })
    .sort((a, b) => a.frame - b.frame || a.comment.at.getTime() - b.comment.at.getTime());
  return { film, rate, start, length, comments };
}

/** The time code in the file counts only in its own rate. */
function ownStart(
  own: { readonly frames: number; readonly isDropFrame: boolean } | undefined,
  rate: FrameRate,
): TimeCodeStart {
  const { frames = 0, isDropFrame = false } = own ?? {};
  return { frames, isDropFrame: isDropFrame && canDropFrames(rate) };
}

/** The comments as markers, of which there is one at a frame. */
export function markersOf({ comments }: FilmComments): Marker[] {
  const markers = new Map<number, TimedComment[]>();
  for (const one of comments) {
    markers.set(one.frame, [...(markers.get(one.frame) ?? []), one]);
  }
  return [...markers].map(([frame, at]) => ({
    frame,
    frames: Math.max(...at.map(({ frames }) => frames)),
    comments: at.map(({ comment }) => comment),
    isDone: at.every(({ comment }) => comment.doneAt !== undefined),
  }));
}

/** The words of a marker: who said what, about which version unless it is the current one, and the reply. */
export function markerText({ comments }: Marker): string {
  return comments
    .map(({ guest, text, reply, version, currentVersion }) => {
      const about = version === currentVersion ? guest.name : `${guest.name} (v${version})`;
      const answered = reply === undefined ? '' : `\n→ ${reply.by ?? ''}: ${reply.text}`;
      return `${about}: ${text}${answered}`;
    })
    .join('\n');
}

/** A text in one line, without control characters. */
export function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}
