import { setTimeout as sleep } from 'node:timers/promises';
import type { Patch } from '../../../packages/image-metadata/patches.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendJson, sendPage } from '../../kernel/http/responses.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import type { Page } from '../../kernel/html/layout.js';
import { Translator } from '../../kernel/i18n/translator.js';
import {
  MAX_IN_ZIP,
  type ListedPhoto,
  type Photo,
  type ZipNote,
  type StoredLocations,
  type ThumbnailWorker,
} from '../../library/index.js';

export interface LocationDeps {
  readonly locations: Pick<StoredLocations, 'of' | 'kinds'>;
  readonly thumbnailWorker: Pick<ThumbnailWorker, 'enqueue'>;
  readonly now: () => Date;
}

/**
 * Why an original is not sent by a link that removes locations. `location_pending`: the file is still to be searched.
 * `location_unknown`: its location cannot be found within the limits. The codes are stable.
 */
export type LocationProblem = 'location_pending' | 'location_unknown';

const STATUS = { location_pending: 503, location_unknown: 403 } as const;

/** How long a request waits for a file that is still to be searched, in milliseconds, and how long until it looks again. */
const WAIT_MS = 15_000;
/** As many as in this time: a clock that is set back does not lengthen it. */
const MAX_LOOKS = 20;
const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

/** `Retry-After` while a file is to be searched, in seconds. */
const RETRY_SECONDS = 5;

/** How many names a ZIP's note lists. */
const MAX_NAMES = 1000;

/** Looks something up until nothing is pending, for some time. */
async function settled<T>(
  { now }: LocationDeps,
  look: () => Promise<T>,
  isPending: (found: T) => boolean,
): Promise<T> {
  const until = now().getTime() + WAIT_MS;
  let found = await look();
  let pause = MIN_PAUSE_MS;
  for (
    let looks = 1;
    looks < MAX_LOOKS && isPending(found) && now().getTime() < until;
    looks += 1
  ) {
    await sleep(pause);
    pause = Math.min(2 * pause, MAX_PAUSE_MS);
    found = await look();
  }
  return found;
}

/** The patches that remove the location of a photo. Waits a little for a file that is not searched yet. */
export async function patchesWithoutLocation(
  deps: LocationDeps,
  photo: Photo,
): Promise<readonly Patch[] | LocationProblem> {
  const { locations, thumbnailWorker } = deps;
  const location = await settled(
    deps,
    async () => {
      const found = await locations.of(photo.id);
      if (found.kind === 'pending') {
        thumbnailWorker.enqueue(photo);
      }
      return found;
    },
    ({ kind }) => kind === 'pending',
  );
  return location.kind === 'searched' ? location.patches : problemOf(location.kind);
}

function problemOf(kind: 'pending' | 'unsearchable'): LocationProblem {
  return kind === 'pending' ? 'location_pending' : 'location_unknown';
}

/** The sentence for people. */
function locationMessage(problem: LocationProblem): Message {
  return message(problem === 'location_pending' ? 'shareLocationPending' : 'shareLocationUnknown');
}

/** Sends the reason why there is no original: as JSON where that was requested, else as a page. */
export function sendLocationProblem(
  context: BufferedContext,
  problem: LocationProblem,
  page: (problem: Message) => Page,
): void {
  const { response, request, locale } = context;
  const text = locationMessage(problem);
  if (problem === 'location_pending') {
    response.setHeader('Retry-After', String(RETRY_SECONDS));
  }
  if (request.headers.accept === 'application/json') {
    const description = new Translator(locale.language).format(text);
    sendJson(response, STATUS[problem], { error: problem, error_description: description });
  } else {
    sendPage(context, STATUS[problem], page(text));
  }
}

/** Which photos of a ZIP can be sent without their locations. */
export interface SearchedPhotos {
  /** How many there are. */
  readonly count: number;
  /** The others. */
  readonly leftOut: ReadonlyMap<string, string>;
  readonly isPending: boolean;
}

/**
 * Looks up which photos of a ZIP can be sent without their locations. Waits a little for those that are not searched yet.
 * @param plan takes a place among those who read whole lists
 */
export function searchedPhotos(
  deps: LocationDeps,
  workspaceId: string,
  parts: () => PhotoParts,
  plan: (look: () => Promise<SearchedPhotos>) => Promise<SearchedPhotos>,
): Promise<SearchedPhotos> {
  return settled(
    deps,
    () => plan(() => lookUp(deps, workspaceId, parts())),
    ({ isPending }) => isPending,
  );
}

async function lookUp(
  { locations, thumbnailWorker }: LocationDeps,
  workspaceId: string,
  parts: PhotoParts,
): Promise<SearchedPhotos> {
  const leftOut = new Map<string, string>();
  let [count, isPending] = [0, false];
  for await (const part of parts) {
    const kindOf = await locations.kinds(part.map(({ id }) => id));
    for (const { id, name } of part) {
      const kind = kindOf(id);
      if (kind === 'pending') {
        thumbnailWorker.enqueue({ id, workspaceId });
        isPending = true;
      } else if (kind === 'unsearchable') {
        leftOut.set(id, name);
      }
      count += kind === 'searched' ? 1 : 0;
    }
    if (count + leftOut.size > MAX_IN_ZIP) {
      break;
    }
  }
  return { count, leftOut, isPending };
}

/** Photos that come in parts. */
type PhotoParts = AsyncIterable<readonly ListedPhoto[]> | Iterable<readonly ListedPhoto[]>;

/** The photos of these parts that are not left out. */
export async function* withoutLeftOut(
  parts: PhotoParts,
  leftOut: ReadonlyMap<string, string>,
): AsyncGenerator<readonly ListedPhoto[]> {
  for await (const part of parts) {
    yield part.filter(({ id }) => !leftOut.has(id));
  }
}

/** A text that names what a ZIP leaves out; undefined when it leaves out nothing. */
export function noteOf(
  leftOut: ReadonlyMap<string, string>,
  translator: Translator,
): ZipNote | undefined {
  if (leftOut.size === 0) {
    return undefined;
  }
  const names = [...leftOut.values()].slice(0, MAX_NAMES);
  const more = leftOut.size - names.length;
  const lines = [translator.t('zipNoteText'), '', ...names, ...(more > 0 ? [`+ ${more}`] : []), ''];
  return { name: `${translator.t('zipNoteName')}.txt`, bytes: Buffer.from(lines.join('\r\n')) };
}
