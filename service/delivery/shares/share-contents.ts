import { canView, visibilityOf } from '../../identity/index.js';
import {
  MAX_IN_ZIP,
  formatPlace,
  parseCursor,
  placeOf,
  type Page,
  type Photo,
  type PhotoFilter,
  type PhotoTable,
} from '../../library/index.js';
import type { LinkFiles } from '../rounds/index.js';
import type { OpenShare, Share } from './share.js';

/** How many photos a page of a link shows. */
const PAGE_SIZE = 100;

/** The most files that are listed by name. */
const MAX_LISTED = 1000;

/** The order of a link's photos: the earliest capture first. */
const ORDER = 'captured';

/** One page of the photos of a link. */
export interface PageOfLink {
  readonly photos: readonly Photo[];
  /** The cursors of this page (empty for the first one) and of the next one (undefined if there is none). */
  readonly here: string;
  readonly next: string | undefined;
}

/** The ids of the photos before and after another one; undefined at the ends. */
export interface Neighbours {
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

/** The photos that links show, in the order of capture. */
export class ShareContents {
  constructor(private readonly photos: PhotoTable) {}

  /** @param after the cursor of the page; null for the first one. */
  async page(share: OpenShare, after: string | null): Promise<PageOfLink> {
    const place = parseCursor(after);
    if (share.target.kind === 'photos') {
      return this.pageOf(idsOf(share), place?.id);
    }
    const view = visibilityOf(share.workspace, share.creatorId);
    const page: Page = {
      order: ORDER,
      filter: filterFor(share.target),
      from: place && { place, direction: 'after' },
      limit: PAGE_SIZE + 1,
    };
    const found = await this.photos.page(view, page);
    const photos = found.slice(0, PAGE_SIZE);
    const last = photos.at(-1);
    const end =
      found.length > PAGE_SIZE && last !== undefined
        ? placeOf(last, ORDER)
        : await this.photos.resumeAfter(view, page);
    return {
      photos,
      here: place === undefined ? '' : formatPlace(place),
      next: end && formatPlace(end),
    };
  }

  /**
   * A page of chosen photos.
   * @param afterId the last photo of the page before; the list begins at its top if it does not have that photo.
   */
  async pageOf(ids: readonly string[], afterId?: string): Promise<PageOfLink> {
    const from = afterId === undefined ? 0 : ids.indexOf(afterId) + 1;
    const shown = ids.slice(from, from + PAGE_SIZE);
    const photos = await this.photos.several(shown);
    const before = from === 0 ? undefined : ids[from - 1];
    const last = ids.length > from + PAGE_SIZE ? shown.at(-1) : undefined;
    const cursorAt = (id: string | undefined): string | undefined =>
      id === undefined ? undefined : formatPlace({ at: new Date(0), id });
    return { photos, here: cursorAt(before) ?? '', next: cursorAt(last) };
  }

  /** How many photos a link shows; one more than {@link MAX_IN_ZIP} for any greater number. */
  count({ target, workspace, creatorId }: OpenShare): Promise<number> {
    return target.kind === 'photos'
      ? Promise.resolve(target.shown)
      : this.photos.count(visibilityOf(workspace, creatorId), filterFor(target), MAX_IN_ZIP + 1);
  }

  /** The files of a link with their names: up to {@link MAX_LISTED} of them. */
  async files(share: OpenShare): Promise<LinkFiles> {
    if (share.target.kind === 'photos') {
      const first = await this.photos.several(idsOf(share));
      return { count: share.target.shown, first };
    }
    const view = visibilityOf(share.workspace, share.creatorId);
    const filter = filterFor(share.target);
    const first = await this.photos.page(view, {
      ...{ order: ORDER, filter, from: undefined, limit: MAX_LISTED },
    });
    return {
      count: first.length < MAX_LISTED ? first.length : await this.count(share),
      first: first.map(({ id, photoId, name }) => ({ id, photoId, name })),
    };
  }

  /** The current version of a photo, if the link shows it. */
  async find(share: OpenShare, id: string): Promise<Photo | undefined> {
    const photo = await this.photos.findCurrent(id);
    return photo !== undefined && includes(share, photo) ? photo : undefined;
  }

  /** The photos before and after one that the link shows. */
  async neighbours(share: OpenShare, photo: Photo): Promise<Neighbours> {
    if (share.target.kind === 'photos') {
      const ids = idsOf(share);
      const index = ids.indexOf(photo.id);
      return { previous: ids[index - 1], next: ids[index + 1] };
    }
    const view = visibilityOf(share.workspace, share.creatorId);
    const place = placeOf(photo, ORDER);
    const beside = async (direction: 'before' | 'after'): Promise<string | undefined> => {
      const filter = filterFor(share.target);
      const from = { place, direction };
      const [found] = await this.photos.page(view, { order: ORDER, filter, from, limit: 1 });
      return found?.id;
    };
    return { previous: await beside('before'), next: await beside('after') };
  }
}

/** The filter for the photos of a shared project. */
export function filterFor({ id }: Share['target']): PhotoFilter {
  return { project: id };
}

/** The ids of the current versions of a link's chosen photos. */
export function idsOf({ photos }: OpenShare): string[] {
  return photos.map(({ id }) => id);
}

/**
 * Whether a link shows a photo: it belongs to what is shared, the creator sees it, and it is not in the trash. Guests
 * find only its current version. A download that has begun continues when another version becomes current.
 */
export function includes(
  { target, photos, workspace, creatorId }: OpenShare,
  photo: Photo,
): boolean {
  const isFor =
    target.kind === 'photos'
      ? photos.some(({ photoId }) => photoId === photo.photoId)
      : photo.project?.id === target.id;
  return isFor && photo.trashedAt === undefined && canView(photo, creatorId, [workspace]);
}

/** The id of the requested photo, without what another program added behind it. */
export function photoIdIn(query: URLSearchParams): string {
  return /^[\w-]*/.exec(query.get('photo') ?? '')?.[0] ?? '';
}
