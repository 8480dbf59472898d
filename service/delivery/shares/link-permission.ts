import type { Permission } from '../../library/index.js';
import type { Permission as RoutePermission } from '../../kernel/http/permission.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { message } from '../../kernel/i18n/message.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { playsFilms } from './guest-films.js';
import { shareEndedPage, shareProblemPage, shareSuspendedPage } from './public-share-pages.js';
import { includes } from './share-contents.js';
import type { ShareCookie } from './share-cookie.js';
import type { ShareTable } from './share-table.js';
import type { OpenShare } from './share.js';

export interface LinkPermissionDeps {
  readonly shares: Pick<ShareTable, 'findByToken' | 'endOf'>;
  readonly cookie: ShareCookie;
}

/** A request with a link that works. */
export interface LinkRequest {
  readonly context: BufferedContext;
  readonly share: OpenShare;
  readonly token: string;
}

/** What the pages of links need. There is no sign-in and no session, and the only cookie is the one for a link's password. */
export class LinkPermissions {
  readonly works = linkPermission('link', (context) => this.enter(context));
  readonly isUnlocked = linkPermission('link, unlocked', (context) => this.enterOpen(context));
  readonly offersDownloads = linkPermission('link, unlocked, with downloads', (context) =>
    this.enterToDownload(context),
  );

  constructor(private readonly deps: LinkPermissionDeps) {}

  /** Finds the link. Undefined if it leads to nothing; the response has been sent then. */
  private async enter(context: BufferedContext): Promise<LinkRequest | undefined> {
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
  private async enterOpen(context: BufferedContext): Promise<LinkRequest | undefined> {
    const link = await this.enter(context);
    if (link !== undefined && this.requiredPassword(link) !== undefined) {
      sendRedirect(context.response, SHARES.shared(link.token));
      return undefined;
    }
    return link;
  }

  /** Like {@link enterOpen}, if the link offers downloads. */
  private async enterToDownload(context: BufferedContext): Promise<LinkRequest | undefined> {
    const link = await this.enterOpen(context);
    if (link?.share.downloads === 'none') {
      sendPage(context, 403, shareProblemPage(link.token, message('shareDownloadsOff')));
      return undefined;
    }
    return link;
  }

  /** The hash of the password that the guest still has to enter; undefined if there is none. */
  requiredPassword({ context, share }: LinkRequest): string | undefined {
    return this.deps.cookie.isOpen(context.request, share) ? undefined : share.passwordHash;
  }
}

/** The permission of guests with a link. @param enter finds the link, or sends the refusal. */
function linkPermission(
  condition: string,
  enter: (context: BufferedContext) => Promise<LinkRequest | undefined>,
): RoutePermission<LinkRequest, BufferedContext> {
  return { kind: 'link', condition, authorize: enter };
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
