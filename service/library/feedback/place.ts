import type { Translator } from '../../kernel/i18n/translator.js';
import { MAX_DURATION, MAX_PAGES, type MediaInfo } from '../previews/index.js';

/** A spot in a picture, as parts of its width and height: 0 to 1. */
export interface Annotation {
  readonly x: number;
  readonly y: number;
}

/**
 * What a comment points to: a spot, a page of a document, or a time of a video. Page and time may have a spot as well.
 * Empty for the file as a whole.
 */
export interface Place {
  readonly pin?: Annotation;
  /** 1 for the first. */
  readonly page?: number;
  /** In milliseconds from the start of the video. */
  readonly startMs?: number;
  /** Not before `startMs`, in the same unit. */
  readonly endMs?: number;
}

/** The columns of a place. */
export interface PlaceRow {
  readonly pin_x: number | null;
  readonly pin_y: number | null;
  readonly page: number | null;
  readonly start_ms: number | null;
  readonly end_ms: number | null;
}

/** The names of the columns of {@link PlaceRow}. */
export const PLACE_COLUMNS = 'pin_x, pin_y, page, start_ms, end_ms';

/** A player may report a time that is so much later than the duration in the file, in milliseconds. */
const TOLERANCE_MS = 500;

export function toPlace(row: PlaceRow): Place {
  return {
    ...(row.pin_x !== null && row.pin_y !== null && { pin: { x: row.pin_x, y: row.pin_y } }),
    ...(row.page !== null && { page: row.page }),
    ...(row.start_ms !== null && { startMs: row.start_ms }),
    ...(row.end_ms !== null && { endMs: row.end_ms }),
  };
}

/**
 * Reads the place from the form of a comment. A spot outside the picture is ignored.
 * @returns `page` or `time` for what cannot be read
 */
export function parsePlace(form: URLSearchParams): Place | 'page' | 'time' {
  const [page, start, end] = ['page', 'start', 'end'].map((name) =>
    (form.get(name) ?? '').normalize('NFKC').trim(),
  );
  const pin = parseAnnotation(form);
  const spot = pin === undefined ? {} : { pin };
  if (page) {
    const isPage = /^[1-9]\d{0,8}$/.test(page) && !start && !end;
    return isPage ? { ...spot, page: Number(page) } : 'page';
  }
  if (!start) {
    return end ? 'time' : spot;
  }
  const startMs = millisecondsOf(start);
  const endMs = end ? millisecondsOf(end) : startMs;
  if (startMs === undefined || endMs === undefined || endMs < startMs) {
    return 'time';
  }
  return { ...spot, startMs, ...(endMs > startMs && { endMs }) };
}

function parseAnnotation(form: URLSearchParams): Annotation | undefined {
  const [x, y] = ['x', 'y'].map((name) => {
    const text = form.get(name) ?? '';
    return /^[01](\.\d{1,17})?$/.test(text) ? Number(text) : Number.NaN;
  });
  const isInside = x !== undefined && y !== undefined && x <= 1 && y <= 1;
  return isInside ? { x, y } : undefined;
}

/** A time as players show it, such as `42`, `0:42`, `0:42.5` or `1:02:03`, in milliseconds. */
function millisecondsOf(text: string): number | undefined {
  if (!/^(\d{1,3}:)?(\d{1,4}:)?\d{1,6}([.,]\d{1,3})?$/.test(text)) {
    return undefined;
  }
  const [seconds = 0, minutes = 0, hours = 0] = text
    .replace(',', '.')
    .split(':')
    .map(Number)
    .reverse();
  const isTime = (!text.includes(':') || seconds < 60) && (hours === 0 || minutes < 60);
  return isTime ? Math.round((hours * 3600 + minutes * 60 + seconds) * 1000) : undefined;
}

/**
 * Whether a file has a place. While the number of pages or the duration is not known, every page and time is.
 * @returns `page` or `time` for what the file does not have
 */
export function placeProblem(
  { page, startMs, endMs }: Place,
  { mediaType, media }: { readonly mediaType: string | null; readonly media: MediaInfo | null },
): 'page' | 'time' | undefined {
  if (page !== undefined) {
    const isUnread = media === null && mediaType === 'application/pdf';
    const pages = media?.kind === 'document' ? media.pages : isUnread ? MAX_PAGES : 0;
    return page <= pages ? undefined : 'page';
  }
  const last = endMs ?? startMs;
  if (last !== undefined) {
    const isUnread = media === null && mediaType?.startsWith('video/') === true;
    const isVideo = media?.kind === 'video' || isUnread;
    const duration = (media?.kind === 'video' ? media.duration : undefined) ?? MAX_DURATION;
    return isVideo && last <= duration * 1000 + TOLERANCE_MS ? undefined : 'time';
  }
  return undefined;
}

/** A time as players show it, such as `0:42` or `1:02:03`. Parts of a second are left out. */
export function timeText(milliseconds: number): string {
  const whole = Math.floor(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const parts = hours > 0 ? [hours, padded(minutes)] : [minutes];
  return [...parts, padded(whole % 60)].join(':');
}

function padded(number: number): string {
  return String(number).padStart(2, '0');
}

/** Such as "Page 3" or "0:42–0:51"; undefined for the file as a whole, and for a spot alone. */
export function placeLabel(
  translator: Translator,
  { page, startMs, endMs }: Place,
): string | undefined {
  if (page !== undefined) {
    return translator.t('pageNumber', { page });
  }
  if (startMs === undefined) {
    return undefined;
  }
  const [start, end] = [startMs, endMs ?? startMs].map(timeText);
  return start === end ? start : `${start}–${end}`;
}

/** The page of a document that an address names; the first by default, and undefined for other files. */
export function pageIn(
  { media }: { readonly media: MediaInfo | undefined },
  text: string | null | undefined,
): number | undefined {
  if (media?.kind !== 'document') {
    return undefined;
  }
  const page = /^\d{1,6}$/.test(text ?? '') ? Number(text) : 1;
  return Math.min(Math.max(1, page), media.pages);
}

/** The time of a video that an address names, in seconds; undefined without one, and for other files. */
export function timeIn(
  { media }: { readonly media: MediaInfo | undefined },
  text: string | null | undefined,
): number | undefined {
  const isTime = media?.kind === 'video' && /^\d{1,6}(\.\d{1,3})?$/.test(text ?? '');
  return isTime ? Math.min(Number(text), media.duration ?? MAX_DURATION) : undefined;
}

/** A place as JSON, for the API, events and receipts. Times are in seconds. What a place does not have is missing. */
export function presentPlace({ pin, page, startMs, endMs }: Place): Record<string, number> {
  return {
    ...(page !== undefined && { page }),
    ...(startMs !== undefined && { start: startMs / 1000 }),
    ...(endMs !== undefined && { end: endMs / 1000 }),
    ...pin,
  };
}
