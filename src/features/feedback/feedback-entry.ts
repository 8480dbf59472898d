import { isJsonObject, numberField, textField } from '../../util/json.js';
import { isServiceId, readTime } from '../../api/project.js';
import { readSource } from '../queue/index.js';

/** A comment of a guest about a file of the open document, or a request for changes. */
export interface FeedbackEntry {
  readonly id: string;
  readonly kind: 'comment' | 'changes';
  /** Name of the file. */
  readonly name: string;
  readonly guest: string;
  /** The id of the link; null once it is gone. */
  readonly link: string | null;
  /** The id of the version that the guest saw. */
  readonly upload: string;
  /** Wall-clock time in milliseconds; 0 when the service does not report it. */
  readonly at: number;
  /** The number of the version that the guest saw, and whether the file still has its bytes. */
  readonly version: number;
  readonly isCurrent: boolean;
  /** Empty for a request for changes. */
  readonly text: string;
  readonly place: FeedbackPlace;
  /** `PhotoSource.source` of the version; null when it has none. */
  readonly source: string | null;
  readonly isDone: boolean;
  /** What the studio replied; null without a reply. */
  readonly reply: string | null;
  /** The page that shows the place, on the service's own origin. */
  readonly pageUrl: string;
}

/** What a comment points to; empty for the file as a whole. */
export interface FeedbackPlace {
  /** 1 for the first. */
  readonly page?: number;
  /** In seconds from the start of the film. */
  readonly start?: number;
  /** Where the part of the film ends, in the same unit. */
  readonly end?: number;
  /** As parts of the width and the height: 0 to 1. */
  readonly spot?: { readonly x: number; readonly y: number };
}

/**
 * Reads an entry of the list of the service; null for one that the panel does not show.
 * @param baseUrl of the service, without a slash at its end
 */
export function readEntry(value: unknown, baseUrl: string): FeedbackEntry | null {
  if (!isJsonObject(value)) {
    return null;
  }
  const { kind, guest, reply } = value;
  const id = textField(value, 'id');
  const photo = textField(value, 'photo');
  const version = numberField(value, 'version') ?? 0;
  const isShown = kind === 'comment' || (kind === 'changes' && value['withdrawn'] === null);
  if (id === null || photo === null || !isServiceId(id) || !isServiceId(photo) || !isShown) {
    return null;
  }
  const page = numberField(value, 'page');
  const start = numberField(value, 'start');
  const end = numberField(value, 'end');
  const [x, y] = [numberField(value, 'x'), numberField(value, 'y')];
  const hasSpot = x !== null && y !== null;
  const upload = textField(value, 'upload') ?? photo;
  const query = page !== null ? `?page=${page}` : start !== null ? `?time=${start}` : '';
  return {
    id,
    kind,
    name: textField(value, 'name') ?? '',
    link: textField(value, 'link'),
    upload: isServiceId(upload) ? upload : photo,
    guest: isJsonObject(guest) ? (textField(guest, 'name') ?? '') : '',
    at: readTime(value['at']) ?? 0,
    version,
    isCurrent: value['is_current'] === true,
    text: textField(value, 'text') ?? '',
    place: {
      ...(page !== null && { page }),
      ...(start !== null && { start }),
      ...(start !== null && end !== null && { end }),
      ...(hasSpot && { spot: { x, y } }),
    },
    source: readSource(textField(value, 'source')),
    isDone: value['done'] === true,
    reply: isJsonObject(reply) ? textField(reply, 'text') : null,
    pageUrl: `${baseUrl}/photos/${photo}${query}${hasSpot ? `#pin-${id}` : '#answers'}`,
  };
}
