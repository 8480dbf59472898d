import type { Patch } from '../../../packages/image-metadata/patches.js';
import {
  redirectToContent,
  MAX_IN_ZIP,
  describeZip,
  isForPage,
  playedAs,
  sendFile,
  sendPhotoWhilePermitted,
  sendZip,
  fileNameOf,
  type ContentAddresses,
  type ListedPhoto,
  type ZipUnavailable,
  type Permission,
  type Photo,
  type PhotoTable,
  type SendZipDeps,
  type UploadStorage,
  type Watermarks,
} from '../../library/index.js';
import { sendStatus, sendPage } from '../../kernel/http/responses.js';
import { message } from '../../kernel/i18n/message.js';
import { Translator } from '../../kernel/i18n/translator.js';
import { visibilityOf } from '../../identity/index.js';
import type { ConcurrencyLimit } from '../../kernel/single-flight.js';
import { removesLocation, watermarkTextOf, type Share } from './share.js';
import {
  noteOf,
  patchesWithoutLocation,
  searchedPhotos,
  sendLocationProblem,
  withoutLeftOut,
  type LocationDeps,
  type LocationProblem,
} from './location-removal.js';
import {
  inWebSize,
  photosOf,
  plainCopies,
  sendWebCopy,
  watermarkedCopies,
  webCopiesOf,
  type WebCopies,
} from './web-copies.js';
import type { GuestCookie } from './guest-cookie.js';
import { mayPlay } from './guest-films.js';
import type { LinkOpenings } from './link-openings.js';
import { permissionOfLink, type LinkRequest } from './link-permission.js';
import type { ShareCookie } from './share-cookie.js';
import type { ShareTable } from './share-table.js';
import { shareGonePage, shareOriginalPage, shareProblemPage } from './public-share-pages.js';
import { filterFor, idsOf, photoIdIn, ShareContents } from './share-contents.js';

/** `Retry-After` while a preview is not made yet, in seconds. */
const NOT_READY_SECONDS = 60;

export interface GuestDownloadsDeps extends SendZipDeps, LocationDeps {
  readonly store: Pick<UploadStorage, 'directUrl' | 'readPreview' | 'readRange'>;
  readonly watermarks: Watermarks;
  readonly photos: PhotoTable;
  readonly shares: Pick<ShareTable, 'findByToken' | 'countDownloads'>;
  readonly cookie: ShareCookie;
  readonly guests: GuestCookie;
  /** Limits the downloads at the same time, by {@link guestKey}. */
  readonly open: ConcurrencyLimit;
  /** The addresses of stored files, if they have a separate host. */
  readonly content: ContentAddresses | undefined;
}

/** The files that guests download with a link: originals, web copies, films to play, and ZIPs. */
export class GuestDownloads {
  private readonly contents: ShareContents;

  constructor(
    private readonly deps: GuestDownloadsDeps,
    private readonly openings: LinkOpenings,
  ) {
    this.contents = new ShareContents(deps.photos);
  }

  /** Answers a GET of the original of a photo, or of its web size. */
  async file(link: LinkRequest): Promise<void> {
    const isWeb = link.share.downloads === 'web' || link.context.query.get('size') === 'web';
    await this.sendLimited(link, () => (isWeb ? this.sendWebCopy(link) : this.sendOriginal(link)));
  }

  /** Answers a GET of a film by the player of a page. */
  async play(link: LinkRequest): Promise<void> {
    const { context, share } = link;
    const { request, response } = context;
    const photo = await this.contents.find(link.share, photoIdIn(link.context.query));
    const type = photo && playedAs(photo);
    if (photo === undefined || type === undefined) {
      sendStatus(response, 404);
      return;
    }
    if (isForPage(request) || !mayPlay(this.deps.guests, link, context, this.deps.now())) {
      sendStatus(response, 403);
      return;
    }
    await this.sendLimited(link, async () => {
      const patches = removesLocation(share) ? await patchesWithoutLocation(this.deps, photo) : [];
      if (typeof patches === 'string') {
        this.sendLocationProblem(link, patches, photo);
      } else {
        await this.sendFilm(link, { ...photo, patches, playedAs: type });
      }
    });
  }

  /** Answers a GET of the ZIP of a link. */
  async zip(link: LinkRequest): Promise<void> {
    await this.sendLimited(link, () => this.sendZip(link));
  }

  /** Sends a file, unless too many downloads are open at this address. */
  private async sendLimited(
    { context, token }: LinkRequest,
    send: () => Promise<void>,
  ): Promise<void> {
    if (!(await this.deps.open.run(guestKey(context.clientAddress), send))) {
      context.response.setHeader('Retry-After', '5');
      sendPage(context, 429, shareProblemPage(token, message('tooManyDownloads')));
    }
  }

  private async sendOriginal(link: LinkRequest): Promise<void> {
    const photo = await this.contents.find(link.share, photoIdIn(link.context.query));
    if (photo === undefined) {
      sendPage(link.context, 404, shareGonePage());
      return;
    }
    const patches = removesLocation(link.share)
      ? await patchesWithoutLocation(this.deps, photo)
      : [];
    if (typeof patches === 'string') {
      this.sendLocationProblem(link, patches, photo);
      return;
    }
    if (!(await this.mayDownload(link, [photo.photoId]))) {
      return;
    }
    await this.openings.record(link, 'download');
    const { content } = this.deps;
    if (content === undefined) {
      await this.sendStored(link, photo, patches);
    } else {
      const recipient = { kind: 'link', id: link.share.id } as const;
      const grant = { photoId: photo.id, variant: 'file', recipient } as const;
      redirectToContent(content, grant, link.context.response);
    }
  }

  private sendStored(link: LinkRequest, photo: Photo, patches: readonly Patch[]): Promise<void> {
    const { context } = link;
    const reader = { response: context.response, permission: this.permissionOf(link) };
    return sendPhotoWhilePermitted(this.deps, photo.id, reader, () =>
      sendFile(
        this.deps.store,
        { ...photo, patches, isDirect: !removesLocation(link.share) },
        context,
      ),
    );
  }

  private sendFilm(
    { context, token }: LinkRequest,
    film: Photo & { readonly patches: readonly Patch[]; readonly playedAs: string },
  ): Promise<void> {
    const permission = permissionOfLink(() => this.deps.shares.findByToken(token), 'film');
    const reader = { response: context.response, permission };
    return sendPhotoWhilePermitted(this.deps, film.id, reader, () =>
      sendFile(this.deps.store, film, context),
    );
  }

  private sendLocationProblem(
    { context, token }: LinkRequest,
    problem: LocationProblem,
    photo?: Photo,
  ): void {
    sendLocationProblem(context, problem, (text) =>
      shareOriginalPage(token, text, {
        isPending: problem === 'location_pending',
        photoId: photo?.id,
        hasWebSize: photo?.preview !== undefined,
      }),
    );
  }

  /** Sends the preview. The service has made it, so it needs no separate host. */
  private async sendWebCopy(link: LinkRequest): Promise<void> {
    const { context } = link;
    const photo = await this.contents.find(link.share, photoIdIn(link.context.query));
    if (photo === undefined) {
      sendPage(context, 404, shareGonePage());
      return;
    }
    const { response } = context;
    const text = watermarkTextOf(link.share);
    if (text !== undefined) {
      await this.deps.watermarks.of(photo, text);
    }
    const copies = this.copiesOf(link);
    const [copy] = await copies.of([photo]);
    const isHead = context.method === 'HEAD';
    if (copy !== undefined && !(await this.mayDownload(link, [photo.photoId]))) {
      return;
    }
    if (copy === undefined || !(await sendWebCopy(copies, copy, { response, isHead }))) {
      this.sendNotReady(link);
      return;
    }
    await this.openings.record(link, 'download');
  }

  /** Counts files of a download, or sends that the link allows no more. */
  private async mayDownload(
    { context, share, token }: LinkRequest,
    photoIds: readonly string[],
  ): Promise<boolean> {
    const { cookie, shares } = this.deps;
    const isCounted = context.method !== 'HEAD' && !cookie.isCreator(context.request, share);
    if (!isCounted || (await shares.countDownloads(share, photoIds))) {
      return true;
    }
    const problem = message('downloadsUsedUp', { max: share.maxDownloads ?? 0 });
    sendPage(context, 403, shareProblemPage(token, problem));
    return false;
  }

  /** The web copies that a link offers. */
  private copiesOf({ share }: LinkRequest): WebCopies {
    const text = watermarkTextOf(share);
    const { store, watermarks } = this.deps;
    return text === undefined ? plainCopies(store) : watermarkedCopies(watermarks, text);
  }

  private sendNotReady({ context, token }: LinkRequest): void {
    context.response.setHeader('Retry-After', String(NOT_READY_SECONDS));
    sendPage(context, 503, shareProblemPage(token, message('shareNotReady')));
  }

  /** All photos of a link, or those of one of its pages. */
  private async sendZip(link: LinkRequest): Promise<void> {
    const { context, token } = link;
    const problem = await this.tryZip(link);
    if (problem === 'empty') {
      sendPage(context, 404, shareGonePage());
    } else if (problem === 'not ready') {
      this.sendNotReady(link);
    } else if (problem === 'location_pending' || problem === 'location_unknown') {
      this.sendLocationProblem(link, problem);
    } else if (problem === 'too many') {
      const tooMany = message('tooManyForZip', { max: MAX_IN_ZIP });
      sendPage(context, 400, shareProblemPage(token, tooMany));
    }
  }

  private async tryZip(
    link: LinkRequest,
  ): Promise<ZipUnavailable | 'not ready' | LocationProblem | undefined> {
    const { context, share } = link;
    const { photos } = this.deps;
    const { target, workspace, creatorId } = share;
    const view = visibilityOf(workspace, creatorId);
    const name = zipName(share);
    const isPage = context.query.get('only') === 'page';
    const page = isPage
      ? (await this.contents.page(share, context.query.get('after'))).photos
      : undefined;
    const isWeb = share.downloads === 'web';
    const copies = this.copiesOf(link);
    const chosen =
      page ?? (target.kind === 'photos' ? await photos.several(idsOf(share)) : undefined);
    const few = chosen && isWeb ? await copies.of(chosen) : chosen;
    const owner = `link ${share.id}`;
    const listed = (): ReturnType<PhotoTable['listed']> => photos.listed(view, filterFor(target));
    if (
      !(await this.mayDownloadAll(
        link,
        chosen === undefined ? photosOf(photos, listed()) : [chosen],
      ))
    ) {
      return undefined;
    }
    if (!isWeb && removesLocation(share)) {
      const parts = (): ReturnType<PhotoTable['listed']> | readonly (readonly Photo[])[] =>
        chosen === undefined ? listed() : [chosen];
      return this.zipWithoutLocations(link, parts, { name, owner });
    }
    if (context.method === 'HEAD') {
      const all = (): Promise<number> => photos.count(view, filterFor(target), MAX_IN_ZIP + 1);
      const count = few?.length ?? (await this.deps.zips.plan(owner, all));
      return describeZip(count, name, context.response);
    }
    const parts = (): AsyncIterable<readonly Photo[]> | readonly (readonly Photo[])[] =>
      chosen === undefined ? photosOf(photos, listed()) : [chosen];
    if (isWeb && (await this.waitsForWatermarks(share, parts()))) {
      return 'not ready';
    }
    const all = isWeb ? webCopiesOf(copies, photosOf(photos, listed())) : listed();
    const zip = {
      name,
      owner,
      photos: few === undefined ? all : [few],
      permission: this.permissionOf(link),
      onBegin: () => this.openings.record(link, 'download'),
    };
    return sendZip(isWeb ? inWebSize(this.deps, copies) : this.deps, zip, context);
  }

  /** Like {@link mayDownload}, for the files of a ZIP. They are read only if the link has a limit. */
  private async mayDownloadAll(
    link: LinkRequest,
    parts: AsyncIterable<readonly Photo[]> | Iterable<readonly Photo[]>,
  ): Promise<boolean> {
    const { maxDownloads } = link.share;
    const photoIds: string[] = [];
    if (maxDownloads === undefined) {
      return true;
    }
    for await (const part of parts) {
      photoIds.push(...part.map(({ photoId }) => photoId));
      if (photoIds.length > maxDownloads) {
        break;
      }
    }
    return this.mayDownload(link, photoIds);
  }

  /** A ZIP of originals without their locations. It leaves out photos whose location cannot be found, and names them. */
  private async zipWithoutLocations(
    link: LinkRequest,
    parts: () => AsyncIterable<readonly ListedPhoto[]> | Iterable<readonly ListedPhoto[]>,
    zip: { readonly name: string; readonly owner: string },
  ): Promise<ZipUnavailable | LocationProblem | undefined> {
    const { context, share } = link;
    const { count, leftOut, isPending } = await searchedPhotos(
      this.deps,
      share.workspace.id,
      parts,
      (look) => this.deps.zips.plan(zip.owner, look),
    );
    if (count + leftOut.size > MAX_IN_ZIP) {
      return 'too many';
    }
    if (isPending || (count === 0 && leftOut.size > 0)) {
      return isPending ? 'location_pending' : 'location_unknown';
    }
    if (context.method === 'HEAD') {
      return describeZip(count, zip.name, context.response);
    }
    return sendZip(
      this.deps,
      {
        ...zip,
        photos: withoutLeftOut(parts(), leftOut),
        permission: this.permissionOf(link),
        locations: this.deps.locations,
        note: noteOf(leftOut, new Translator(context.locale.language)),
        onBegin: () => this.openings.record(link, 'download'),
      },
      context,
    );
  }

  /** Whether photos of a ZIP have no watermark yet. They get it in the background. */
  private async waitsForWatermarks(
    share: Share,
    parts: AsyncIterable<readonly Photo[]> | Iterable<readonly Photo[]>,
  ): Promise<boolean> {
    const text = watermarkTextOf(share);
    let waits = false;
    if (text !== undefined) {
      for await (const part of parts) {
        const { missing } = await this.deps.watermarks.sizes(part, text);
        this.deps.watermarks.prepare(missing, text);
        waits ||= missing.length > 0;
      }
    }
    return waits;
  }

  private permissionOf({ share, token }: LinkRequest): Permission {
    const wanted = share.downloads === 'original' ? 'original' : 'download';
    return permissionOfLink(() => this.deps.shares.findByToken(token), wanted);
  }
}

/** The file name of the ZIP of a link. */
function zipName({ target, createdAt }: Share): string {
  const hasName = target.kind === 'project' || target.shown === 1;
  return fileNameOf(hasName ? target.name : `files-${createdAt.toISOString().slice(0, 10)}`, 'zip');
}

/**
 * The key by which the downloads of guests are limited: the address alone. Neither neighbours in the same network nor
 * other guests of a link can take away the places of an address, and more links do not allow more downloads.
 */
export function guestKey(address: string): string {
  return `guest ${address}`;
}
