import { LINK_EVENTS } from './events.js';
import type { Patch } from '../../../packages/image-metadata/patches.js';
import {
  redirectToContent,
  MAX_IN_ZIP,
  describeZip,
  isForPage,
  isOfVersion,
  playedAs,
  sendFile,
  sendPhotoWhilePermitted,
  sendZip,
  showFrames,
  fileNameOf,
  drawnPageIn,
  variantIn,
  type ContentAddresses,
  type ContentGrant,
  type GuestPictureDeps,
  type ListedPhoto,
  type PageDeps,
  type ZipUnavailable,
  type Permission,
  type Photo,
  type PhotoTable,
  type SendZipDeps,
  type Watermarks,
} from '../../library/index.js';
import type { Permission as RoutePermission } from '../../kernel/http/permission.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { isAutomaticFetch } from '../../kernel/http/request/automatic-fetch.js';
import { sendStatus, sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { Translator } from '../../kernel/i18n/translator.js';
import { visibilityOf, type Audit } from '../../identity/index.js';
import type { ConcurrencyLimit } from '../../kernel/single-flight.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import {
  linkForLog,
  removesLocation,
  watermarkTextOf,
  type OpenShare,
  type Share,
} from './share.js';
import {
  noteOf,
  patchesWithoutLocation,
  searchedPhotos,
  sendLocationProblem,
  withoutLeftOut,
  type LocationDeps,
  type LocationProblem,
} from './location-removal.js';
import { RecentViews } from './recent-views.js';
import {
  inWebSize,
  photosOf,
  plainCopies,
  sendWebCopy,
  watermarkedCopies,
  webCopiesOf,
  type WebCopies,
} from './web-copies.js';
import { mayPlay, playsFilms } from './guest-films.js';
import { isFixedAddress, pictureVersion, showPageToGuest, showToGuest } from './guest-pictures.js';
import type { ShareCookie } from './share-cookie.js';
import type { SharePasswords } from './share-passwords.js';
import type { ShareTable } from './share-table.js';
import {
  shareEndedPage,
  shareGonePage,
  shareLockedPage,
  shareOriginalPage,
  shareProblemPage,
  shareSuspendedPage,
} from './public-share-pages.js';
import { PublicShareViews, type PublicShareViewsDeps } from './public-share-views.js';
import { filterFor, idsOf, includes, photoIdIn, ShareContents } from './share-contents.js';

/** `Retry-After` while a preview is not made yet, in seconds. */
const NOT_READY_SECONDS = 60;

export interface PublicShareDeps
  extends
    GuestPictureDeps,
    Pick<PageDeps, 'pages'>,
    SendZipDeps,
    PublicShareViewsDeps,
    LocationDeps {
  readonly store: GuestPictureDeps['store'] & SendZipDeps['store'];
  readonly thumbnailWorker: GuestPictureDeps['thumbnailWorker'];
  readonly watermarks: Watermarks;
  readonly photos: PhotoTable;
  readonly shares: ShareTable;
  readonly cookie: ShareCookie;
  readonly passwords: SharePasswords;
  readonly audit: Audit;
  /** Limits the downloads at the same time, by {@link guestKey}. */
  readonly open: ConcurrencyLimit;
  /** The addresses of stored files, if they have a separate host. */
  readonly content: ContentAddresses | undefined;
}

/** A request by a guest with an open link. */
export interface Guest {
  readonly context: BufferedContext;
  readonly share: OpenShare;
  readonly token: string;
}

/**
 * The pages that links lead to, for every guest with the link. There is no sign-in and no session, and the
 * only cookie is the one for a link's password.
 */
export class PublicShareHandler {
  private readonly views: PublicShareViews;
  private readonly contents: ShareContents;
  private readonly recent: RecentViews;

  constructor(private readonly deps: PublicShareDeps) {
    this.views = new PublicShareViews(deps);
    this.contents = new ShareContents(deps.photos);
    this.recent = new RecentViews(deps.now);
  }

  /** What a request needs: a link that works, its password as well, or downloads as well. */
  readonly permissions = {
    works: linkPermission('link', (context) => this.enter(context)),
    isUnlocked: linkPermission('link, unlocked', (context) => this.enterOpen(context)),
    offersDownloads: linkPermission('link, unlocked, with downloads', (context) =>
      this.enterToDownload(context),
    ),
  };

  /** Answers a GET or POST of the address of a link. A POST is the form with its password. */
  async page(guest: Guest): Promise<void> {
    const { context } = guest;
    if (await this.views.welcome(guest)) {
      return;
    }
    const passwordHash = this.requiredPassword(guest);
    if (passwordHash !== undefined) {
      await this.askPassword(guest, passwordHash);
    } else if (context.form !== undefined) {
      sendRedirect(context.response, SHARES.shared(guest.token));
    } else {
      await this.show(guest);
    }
  }

  /** Answers a GET of the thumbnail or the preview of a photo. */
  async picture(guest: Guest, variant: 'thumbnail' | 'preview'): Promise<void> {
    const { response, query } = guest.context;
    const id = photoIdIn(query);
    const found = await this.deps.thumbnails.findCurrent(id, this.deps.now());
    if (found === undefined || !includes(guest.share, found.photo)) {
      sendStatus(response, 404);
    } else {
      const isFixed = isFixedAddress(guest.share, found.photo, { id, query });
      const version = isFixed ? pictureVersion(found.photo, guest.share) : undefined;
      if (!this.redirectsToContent(guest, found.photo, variant, version)) {
        await showToGuest(this.deps, guest.share, found, { variant, isFixed, response });
      }
    }
  }

  /** Answers a GET of the picture of a page of a document. */
  async pagePicture(guest: Guest): Promise<void> {
    const { response, query } = guest.context;
    const id = photoIdIn(query);
    const found = await this.deps.thumbnails.findCurrent(id, this.deps.now());
    const page = found && drawnPageIn(query, found.photo);
    if (found === undefined || page === undefined || !includes(guest.share, found.photo)) {
      sendStatus(response, 404);
      return;
    }
    const isFixed = isFixedAddress(guest.share, found.photo, { id, query });
    const wanted = { variant: variantIn(query), isFixed, response };
    await showPageToGuest(this.deps, guest.share, found, page, wanted);
  }

  /** Answers a GET of the frames of a film. They have no watermark, so a link with one does not show them. */
  async frames(guest: Guest): Promise<void> {
    const { response, query } = guest.context;
    const photo = playsFilms(guest.share) ? await this.photoOf(guest) : undefined;
    if (photo === undefined) {
      sendStatus(response, 404);
      return;
    }
    await showFrames(this.deps, photo, isOfVersion(photo, photoIdIn(query), query), response);
  }

  /** Answers a GET of the original of a photo, or of its web size. */
  async file(guest: Guest): Promise<void> {
    const isWeb = guest.share.downloads === 'web' || guest.context.query.get('size') === 'web';
    await this.sendLimited(guest, () =>
      isWeb ? this.sendWebCopy(guest) : this.sendOriginal(guest),
    );
  }

  /** Answers a GET of a film by the player of a page. */
  async play(guest: Guest): Promise<void> {
    const { context, share } = guest;
    const { request, response } = context;
    const photo = await this.photoOf(guest);
    const type = photo && playedAs(photo);
    if (photo === undefined || type === undefined) {
      sendStatus(response, 404);
      return;
    }
    if (isForPage(request) || !mayPlay(this.deps.guests, guest, context, this.deps.now())) {
      sendStatus(response, 403);
      return;
    }
    await this.sendLimited(guest, async () => {
      const patches = removesLocation(share) ? await patchesWithoutLocation(this.deps, photo) : [];
      if (typeof patches === 'string') {
        this.sendLocationProblem(guest, patches, photo);
      } else {
        await this.sendFilm(guest, { ...photo, patches, playedAs: type });
      }
    });
  }

  /** Answers a GET of the ZIP of a link. */
  async zip(guest: Guest): Promise<void> {
    await this.sendLimited(guest, () => this.sendZip(guest));
  }

  /** Finds the link. Undefined if it leads to nothing; the response has been sent then. */
  private async enter(context: BufferedContext): Promise<Guest | undefined> {
    context.response.setHeader('X-Robots-Tag', 'noindex, nofollow');
    const token = context.id;
    const share = await this.deps.shares.findByToken(token);
    if (share === undefined) {
      sendPage(context, 404, shareEndedPage(await this.deps.shares.endOf(token)));
      return undefined;
    }
    if (share.isSuspended) {
      sendPage(context, 404, shareSuspendedPage());
      return undefined;
    }
    return { context, share, token };
  }

  /** Like {@link enter}, for pages behind the password of a link. Redirects to the password form. */
  private async enterOpen(context: BufferedContext): Promise<Guest | undefined> {
    const guest = await this.enter(context);
    if (guest !== undefined && this.requiredPassword(guest) !== undefined) {
      sendRedirect(context.response, SHARES.shared(guest.token));
      return undefined;
    }
    return guest;
  }

  /** Like {@link enterOpen}, if the link offers downloads. */
  private async enterToDownload(context: BufferedContext): Promise<Guest | undefined> {
    const guest = await this.enterOpen(context);
    if (guest?.share.downloads === 'none') {
      sendPage(context, 403, shareProblemPage(guest.token, message('shareDownloadsOff')));
      return undefined;
    }
    return guest;
  }

  /** The hash of the password that the guest still has to enter; undefined if there is none. */
  private requiredPassword({ context, share }: Guest): string | undefined {
    return this.deps.cookie.isOpen(context.request, share) ? undefined : share.passwordHash;
  }

  private async askPassword({ context, share, token }: Guest, passwordHash: string): Promise<void> {
    const { request, response, form } = context;
    const { cookie, passwords } = this.deps;
    const ask = (status: number, problem: Message | undefined): void => {
      const csrf = cookie.formToken(request, response, share, token);
      sendPage(context, status, shareLockedPage(csrf, problem));
    };
    if (form === undefined) {
      ask(200, undefined);
      return;
    }
    if (!cookie.isOwnForm(request, share, form.get('csrf'))) {
      ask(403, message('shareAgain'));
      return;
    }
    const password = form.get('password') ?? '';
    const problem = await passwords.problemOf({ id: share.id, passwordHash }, password, {
      request,
      response,
    });
    if (problem === undefined) {
      cookie.open(response, share, token);
      sendRedirect(response, SHARES.shared(token));
      return;
    }
    // A guest over the limit (429) does not learn whether the password was right, and does not fill the log.
    if (problem.status === 401) {
      await this.deps.audit(response, LINK_EVENTS.passwordRefused, forLog(share));
    }
    if (problem.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(problem.retryAfterSeconds));
    }
    ask(problem.status, problem.problem);
  }

  private async show(guest: Guest): Promise<void> {
    await this.recordOpened(guest, 'view');
    await this.views.gallery(guest);
  }

  /** Answers a GET of the page of a photo. */
  async photo(guest: Guest): Promise<void> {
    await this.recordOpened(guest, 'view');
    await this.views.photo(guest);
  }

  /** Answers a POST of a favourite, an approval or a comment. */
  async answer(guest: Guest): Promise<void> {
    await this.views.answer(guest);
  }

  /** Answers a GET or POST of the form with the name of a guest. */
  async guestName(guest: Guest): Promise<void> {
    await this.views.guestName(guest);
  }

  /** Answers a GET or POST of the form with which a guest gets replies by mail. */
  async replies(guest: Guest): Promise<void> {
    await this.views.replies(guest);
  }

  /** Answers a GET or POST of the form with which a guest finishes. */
  async finish(guest: Guest): Promise<void> {
    await this.views.finish(guest);
  }

  /**
   * Notes that the link was opened, and counts it. A HEAD request does not count: it returns no photo. Nor does a fetch
   * that nobody has chosen.
   */
  private async recordOpened({ context, share }: Guest, kind: 'view' | 'download'): Promise<void> {
    const { shares, audit, cookie } = this.deps;
    const { request, method, clientAddress } = context;
    if (method === 'HEAD' || isAutomaticFetch(request.headers)) {
      return;
    }
    const isGuest = !cookie.isCreator(request, share);
    const { range, 'user-agent': userAgent } = request.headers;
    // The rest of a download that was interrupted is not another one.
    const isWhole = range === undefined || range.startsWith('bytes=0-');
    const views =
      isGuest && kind === 'view' && this.recent.isNew(share.id, clientAddress, userAgent) ? 1 : 0;
    const downloads = isGuest && kind === 'download' && isWhole ? 1 : 0;
    await shares.markOpened(share, { views, downloads }, (transaction) =>
      audit(context.response, LINK_EVENTS.opened, forLog(share), transaction),
    );
  }

  /** Sends a file, unless too many downloads are open at this address. */
  private async sendLimited({ context, token }: Guest, send: () => Promise<void>): Promise<void> {
    if (!(await this.deps.open.run(guestKey(context.clientAddress), send))) {
      context.response.setHeader('Retry-After', '5');
      sendPage(context, 429, shareProblemPage(token, message('tooManyDownloads')));
    }
  }

  private async sendOriginal(guest: Guest): Promise<void> {
    const photo = await this.photoOf(guest);
    if (photo === undefined) {
      sendPage(guest.context, 404, shareGonePage());
      return;
    }
    const patches = removesLocation(guest.share)
      ? await patchesWithoutLocation(this.deps, photo)
      : [];
    if (typeof patches === 'string') {
      this.sendLocationProblem(guest, patches, photo);
      return;
    }
    if (!(await this.mayDownload(guest, [photo.photoId]))) {
      return;
    }
    await this.recordOpened(guest, 'download');
    if (!this.redirectsToContent(guest, photo, 'file')) {
      await this.sendStored(guest, photo, patches);
    }
  }

  private sendStored(guest: Guest, photo: Photo, patches: readonly Patch[]): Promise<void> {
    const { context } = guest;
    const reader = { response: context.response, permission: this.permissionOf(guest) };
    return sendPhotoWhilePermitted(this.deps, photo.id, reader, () =>
      sendFile(
        this.deps.store,
        { ...photo, patches, isDirect: !removesLocation(guest.share) },
        context,
      ),
    );
  }

  private sendFilm(
    { context, token }: Guest,
    film: Photo & { readonly patches: readonly Patch[]; readonly playedAs: string },
  ): Promise<void> {
    const permission = permissionOfLink(() => this.deps.shares.findByToken(token), 'film');
    const reader = { response: context.response, permission };
    return sendPhotoWhilePermitted(this.deps, film.id, reader, () =>
      sendFile(this.deps.store, film, context),
    );
  }

  private sendLocationProblem(
    { context, token }: Guest,
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
  private async sendWebCopy(guest: Guest): Promise<void> {
    const { context } = guest;
    const photo = await this.photoOf(guest);
    if (photo === undefined) {
      sendPage(context, 404, shareGonePage());
      return;
    }
    const { response } = context;
    const text = watermarkTextOf(guest.share);
    if (text !== undefined) {
      await this.deps.watermarks.of(photo, text);
    }
    const copies = this.copiesOf(guest);
    const [copy] = await copies.of([photo]);
    const isHead = context.method === 'HEAD';
    if (copy !== undefined && !(await this.mayDownload(guest, [photo.photoId]))) {
      return;
    }
    if (copy === undefined || !(await sendWebCopy(copies, copy, { response, isHead }))) {
      this.sendNotReady(guest);
      return;
    }
    await this.recordOpened(guest, 'download');
  }

  /** Counts files of a download, or sends that the link allows no more. */
  private async mayDownload(
    { context, share, token }: Guest,
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
  private copiesOf({ share }: Guest): WebCopies {
    const text = watermarkTextOf(share);
    const { store, watermarks } = this.deps;
    return text === undefined ? plainCopies(store) : watermarkedCopies(watermarks, text);
  }

  private sendNotReady({ context, token }: Guest): void {
    context.response.setHeader('Retry-After', String(NOT_READY_SECONDS));
    sendPage(context, 503, shareProblemPage(token, message('shareNotReady')));
  }

  /** Redirects a guest to the host of stored files, if they have a separate host. @returns whether they have. */
  private redirectsToContent(
    { context, share }: Guest,
    { id: photoId }: Photo,
    variant: ContentGrant['variant'],
    version?: string,
  ): boolean {
    const { content } = this.deps;
    if (content !== undefined) {
      const recipient = { kind: 'link', id: share.id } as const;
      redirectToContent(content, { photoId, variant, recipient, version }, context.response);
    }
    return content !== undefined;
  }

  /** All photos of a link, or those of one of its pages. */
  private async sendZip(guest: Guest): Promise<void> {
    const { context, token } = guest;
    const problem = await this.tryZip(guest);
    if (problem === 'empty') {
      sendPage(context, 404, shareGonePage());
    } else if (problem === 'not ready') {
      this.sendNotReady(guest);
    } else if (problem === 'location_pending' || problem === 'location_unknown') {
      this.sendLocationProblem(guest, problem);
    } else if (problem === 'too many') {
      const tooMany = message('tooManyForZip', { max: MAX_IN_ZIP });
      sendPage(context, 400, shareProblemPage(token, tooMany));
    }
  }

  private async tryZip(
    guest: Guest,
  ): Promise<ZipUnavailable | 'not ready' | LocationProblem | undefined> {
    const { context, share } = guest;
    const { photos } = this.deps;
    const { target, workspace, creatorId } = share;
    const view = visibilityOf(workspace, creatorId);
    const name = zipName(share);
    const isPage = context.query.get('only') === 'page';
    const page = isPage
      ? (await this.contents.page(share, context.query.get('after'))).photos
      : undefined;
    const isWeb = share.downloads === 'web';
    const copies = this.copiesOf(guest);
    const chosen =
      page ?? (target.kind === 'photos' ? await photos.several(idsOf(share)) : undefined);
    const few = chosen && isWeb ? await copies.of(chosen) : chosen;
    const owner = `link ${share.id}`;
    const listed = (): ReturnType<PhotoTable['listed']> => photos.listed(view, filterFor(target));
    if (
      !(await this.mayDownloadAll(
        guest,
        chosen === undefined ? photosOf(photos, listed()) : [chosen],
      ))
    ) {
      return undefined;
    }
    if (!isWeb && removesLocation(share)) {
      const parts = (): ReturnType<PhotoTable['listed']> | readonly (readonly Photo[])[] =>
        chosen === undefined ? listed() : [chosen];
      return this.zipWithoutLocations(guest, parts, { name, owner });
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
      permission: this.permissionOf(guest),
      onBegin: () => this.recordOpened(guest, 'download'),
    };
    return sendZip(isWeb ? inWebSize(this.deps, copies) : this.deps, zip, context);
  }

  /** Like {@link mayDownload}, for the files of a ZIP. They are read only if the link has a limit. */
  private async mayDownloadAll(
    guest: Guest,
    parts: AsyncIterable<readonly Photo[]> | Iterable<readonly Photo[]>,
  ): Promise<boolean> {
    const { maxDownloads } = guest.share;
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
    return this.mayDownload(guest, photoIds);
  }

  /** A ZIP of originals without their locations. It leaves out photos whose location cannot be found, and names them. */
  private async zipWithoutLocations(
    guest: Guest,
    parts: () => AsyncIterable<readonly ListedPhoto[]> | Iterable<readonly ListedPhoto[]>,
    zip: { readonly name: string; readonly owner: string },
  ): Promise<ZipUnavailable | LocationProblem | undefined> {
    const { context, share } = guest;
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
        permission: this.permissionOf(guest),
        locations: this.deps.locations,
        note: noteOf(leftOut, new Translator(context.locale.language)),
        onBegin: () => this.recordOpened(guest, 'download'),
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

  private permissionOf({ share, token }: Guest): Permission {
    const wanted = share.downloads === 'original' ? 'original' : 'download';
    return permissionOfLink(() => this.deps.shares.findByToken(token), wanted);
  }

  /** The current version of the photo that the address names, if the link shows it. */
  private async photoOf(guest: Guest): Promise<Photo | undefined> {
    const photo = await this.deps.photos.findCurrent(photoIdIn(guest.context.query));
    return photo !== undefined && includes(guest.share, photo) ? photo : undefined;
  }
}

/** The permission of guests with a link. @param enter finds the guest, or sends the refusal. */
function linkPermission(
  condition: string,
  enter: (context: BufferedContext) => Promise<Guest | undefined>,
): RoutePermission<Guest, BufferedContext> {
  return { kind: 'link', condition, authorize: enter };
}

/** The file name of the ZIP of a link. */
function zipName({ target, createdAt }: Share): string {
  const hasName = target.kind === 'project' || target.shown === 1;
  return fileNameOf(hasName ? target.name : `files-${createdAt.toISOString().slice(0, 10)}`, 'zip');
}

function forLog(share: Share): ReturnType<typeof linkForLog> {
  return linkForLog({ ...share, workspaceId: share.workspace.id });
}

/**
 * The key by which the downloads of guests are limited: the address alone. Neither neighbours in the same network nor
 * other guests of a link can take away the places of an address, and more links do not allow more downloads.
 */
export function guestKey(address: string): string {
  return `guest ${address}`;
}

/** The permission of guests, while the link works: for pictures, for films to play, or for files, if it offers downloads. */
export function permissionOfLink(
  find: () => Promise<OpenShare | undefined>,
  wanted: 'picture' | 'film' | 'original' | 'download',
): Permission {
  return async (photos) => {
    const share = await find();
    if (share === undefined || share.isSuspended) {
      return false;
    }
    const { downloads } = share;
    const offers = {
      picture: true,
      film: playsFilms(share),
      original: downloads === 'original',
      download: downloads !== 'none',
    };
    const isOffered = offers[wanted];
    return isOffered && photos.every((photo) => includes(share, photo));
  };
}
