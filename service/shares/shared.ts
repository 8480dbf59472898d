import type { ServerResponse } from 'node:http';
import { widestNetwork, type ClientAddress } from '../http/client-address.js';
import type { RouteMatch } from '../http/route-table.js';
import { sendNothing, sendPage, sendRedirect } from '../http/responses.js';
import type { WholeRequest } from '../http/whole-request.js';
import { sentence, type Sentence } from '../pages/sentence.js';
import { maySee, viewOf, type Photo } from '../photos/photo.js';
import { readPlace, writePlace } from '../photos/photo-query.js';
import type { PhotoTable } from '../photos/photo-table.js';
import { sendFile } from '../photos/send-file.js';
import { showThumbnail, type ThumbnailParts } from '../photos/thumbnail.js';
import { sendZip, withoutRefused } from '../photos/zip.js';
import type { Bounded } from '../uploads/once-at-a-time.js';
import { SHARES } from './paths.js';
import type { Share } from './share.js';
import type { ShareCookie } from './share-cookie.js';
import type { SharePasswords } from './share-passwords.js';
import type { ShareTable } from './share-table.js';
import { shareBusyPage, sharedPage, shareGonePage, shareLockedPage } from './shared-pages.js';

/** How many photos a page of a link shows, and its ZIP holds. */
const PAGE_SIZE = 100;

export interface SharedParts extends ThumbnailParts {
  readonly photos: PhotoTable;
  readonly shares: ShareTable;
  readonly cookie: ShareCookie;
  readonly passwords: SharePasswords;
  /** Counts what is sent, by link and network. */
  readonly open: Bounded;
  readonly addressOf: ClientAddress;
}

/** A request by somebody who has a link, and may see what it shows. */
interface Guest {
  readonly request: WholeRequest;
  readonly response: ServerResponse;
  readonly share: Share;
  readonly token: string;
}

/**
 * What links lead to: pages for everybody who has one. Nobody signs in here, no session is opened, and there is no
 * cookie but the one of a link's password.
 */
export class SharedPages {
  constructor(private readonly parts: SharedParts) {}

  /** Answers a request below the address of a link. */
  async handle(
    request: WholeRequest,
    response: ServerResponse,
    { route, id: token }: RouteMatch,
  ): Promise<void> {
    response.setHeader('X-Robots-Tag', 'noindex, nofollow');
    const share = await this.parts.shares.findByToken(token);
    if (share === undefined || share.isResting) {
      sendPage(response, 404, shareGonePage());
      return;
    }
    const guest = { request, response, share, token };
    const isPage = route.path === SHARES.shared(':id');
    if (share.passwordHash !== undefined && !this.parts.cookie.isOpen(request, share)) {
      await this.askPassword(guest, share.passwordHash, isPage);
      return;
    }
    if (request.method === 'POST') {
      sendRedirect(response, SHARES.shared(token));
    } else if (isPage) {
      await this.show(guest);
    } else if (route.path === SHARES.thumbnail(':id')) {
      const photo = await this.photoOf(guest);
      if (photo === undefined) {
        sendNothing(response, 404);
      } else {
        await showThumbnail(this.parts, photo, response);
      }
    } else {
      await this.sendFiles(guest, route.path === SHARES.zip(':id'));
    }
  }

  private async askPassword(guest: Guest, passwordHash: string, isPage: boolean): Promise<void> {
    const { request, response, share, token } = guest;
    const { cookie, passwords } = this.parts;
    if (!isPage) {
      sendRedirect(response, SHARES.shared(token));
      return;
    }
    const ask = (status: number, problem: Sentence | undefined): void => {
      const csrf = cookie.formToken(request, response, share, token);
      sendPage(response, status, shareLockedPage(csrf, problem));
    };
    const { form } = request;
    if (request.method !== 'POST') {
      ask(200, undefined);
      return;
    }
    if (!cookie.isOwnForm(request, share, form?.get('csrf') ?? null)) {
      ask(403, sentence('shareAgain'));
      return;
    }
    const password = form?.get('password') ?? '';
    const about = { id: share.id, passwordHash };
    const problem = await passwords.problemOf(about, password, { request, response });
    if (problem === undefined) {
      cookie.open(response, share, token);
      sendRedirect(response, SHARES.shared(token));
      return;
    }
    if (problem.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(problem.retryAfterSeconds));
    }
    ask(problem.status, problem.problem);
  }

  private async show({ request, response, share, token }: Guest): Promise<void> {
    const { photos, here, next } = await this.pageOf(share, request);
    // Programs that look whether there is something have not seen it.
    if (response.req.method !== 'HEAD') {
      await this.parts.shares.markOpened(share);
    }
    sendPage(response, 200, sharedPage({ share, token, photos, here, next }));
  }

  private async sendFiles(guest: Guest, isZip: boolean): Promise<void> {
    const { request, response, share, token } = guest;
    const { store, open, addressOf } = this.parts;
    const send = isZip ? await this.zipOf(guest) : await this.originalOf(guest);
    if (send === undefined) {
      sendPage(response, 404, shareGonePage());
      return;
    }
    const who = `link ${share.id} ${widestNetwork(addressOf(request))}`;
    if (!(await open.run(who, () => send(store)))) {
      response.setHeader('Retry-After', '5');
      sendPage(response, 429, shareBusyPage(token));
    }
  }

  private async originalOf(
    guest: Guest,
  ): Promise<((store: SharedParts['store']) => Promise<void>) | undefined> {
    const photo = await this.photoOf(guest);
    return photo && ((store) => sendFile(store, photo, guest.request, guest.response));
  }

  private async zipOf({
    request,
    response,
    share,
  }: Guest): Promise<((store: SharedParts['store']) => Promise<void>) | undefined> {
    const { photos } = await this.pageOf(share, request);
    const name = `${withoutRefused(share.thing.name)}.zip`;
    return photos.length === 0 ? undefined : (store) => sendZip(store, photos, name, response);
  }

  /** The photo that the address names, if the link shows it. */
  private async photoOf({ request, share }: Guest): Promise<Photo | undefined> {
    const photo = await this.parts.photos.find(request.target.parameters.get('photo') ?? '');
    return photo !== undefined && shows(share, photo) ? photo : undefined;
  }

  /** The part of what a link shows that the address asks for. */
  private async pageOf(
    share: Share,
    { target }: WholeRequest,
  ): Promise<{ photos: readonly Photo[]; here: string; next: string | undefined }> {
    const { thing, workspace, makerId } = share;
    if (thing.kind === 'photo') {
      const photo = await this.parts.photos.find(thing.id);
      const photos = photo !== undefined && shows(share, photo) ? [photo] : [];
      return { photos, here: '', next: undefined };
    }
    const place = readPlace(target.parameters.get('before'));
    const found = await this.parts.photos.page(viewOf(workspace, makerId), {
      order: 'arrived',
      filter: { name: '', day: undefined, project: thing.id },
      from: place && { place, direction: 'older' },
      limit: PAGE_SIZE + 1,
    });
    const photos = found.slice(0, PAGE_SIZE);
    const last = photos.at(-1);
    return {
      photos,
      here: place === undefined ? '' : writePlace(place),
      next:
        found.length > PAGE_SIZE && last !== undefined
          ? writePlace({ at: last.arrivedAt, id: last.id })
          : undefined,
    };
  }
}

/** Whether a link shows a photo: it is what the link is for, its maker sees it, and it is not in the trash. */
function shows({ thing, workspace, makerId }: Share, photo: Photo): boolean {
  const isFor = thing.kind === 'photo' ? photo.id === thing.id : photo.project?.id === thing.id;
  return isFor && photo.trashedAt === undefined && maySee(photo, makerId, [workspace]);
}
