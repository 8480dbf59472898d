import type { ServerResponse } from 'node:http';
import type { Accounts } from '../../identity/index.js';
import { permit, type Permission as RoutePermission } from '../../kernel/http/permission.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendPage, sendStatus } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import { html } from '../../kernel/html-tag.js';
import { page, errorBox, type Page } from '../../kernel/html/layout.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import {
  permissionOf,
  sendFile,
  sendPhotoWhilePermitted,
  showPicture,
  type Permission,
  type RecheckDeps,
  type GuestPictureDeps,
  type ShownPhoto,
  type UploadStorage,
  type ContentAddresses,
  type ContentGrant,
  type Recipient,
} from '../../library/index.js';
import {
  guestKey,
  patchesWithoutLocation,
  permissionOfLink,
  pictureVersion,
  removesLocation,
  sendLocationProblem,
  showToGuest,
  type LocationDeps,
  type ShareTable,
} from '../shares/index.js';
import type { ConcurrencyLimit } from '../../kernel/single-flight.js';
import { CONTENT } from '../../site/addresses/content-paths.js';

export interface ContentHostDeps extends GuestPictureDeps, RecheckDeps, LocationDeps {
  readonly store: GuestPictureDeps['store'] & Pick<UploadStorage, 'readRange'>;
  readonly thumbnailWorker: GuestPictureDeps['thumbnailWorker'];
  readonly addresses: Pick<ContentAddresses, 'read'>;
  readonly accounts: Pick<Accounts, 'workspacesOf'>;
  readonly shares: Pick<ShareTable, 'find'>;
  /** Limits the open downloads, those of the pages included. */
  readonly open: ConcurrencyLimit;
}

/** What a signed address grants, the photo, and the check whether that still holds. */
interface Granted {
  readonly grant: ContentGrant;
  readonly found: ShownPhoto;
  readonly permission: Permission;
}

/** The only route at the host of stored files, if they have a separate host. The base URL does not have it. */
export function contentRoutes(deps: ContentHostDeps): Route[] {
  const host = new ContentHost(deps);
  return [
    {
      path: CONTENT.file(':id'),
      kind: 'public-link',
      sendsFile: true,
      handlers: permit(host.permission, { GET: (context, granted) => host.send(context, granted) }),
    },
  ];
}

/**
 * Sends stored files from a separate host to every client with an address made by {@link ContentAddresses}. It uses
 * no cookies. The address names the user or link that it was made for. Each request checks their permission again.
 */
class ContentHost {
  constructor(private readonly deps: ContentHostDeps) {}

  /** A signed address, while its user or link may have the photo. */
  readonly permission: RoutePermission<Granted, BufferedContext> = {
    kind: 'link',
    condition: 'signed address, for its user or link',
    authorize: (context) => this.authorize(context),
  };

  private async authorize(context: BufferedContext): Promise<Granted | undefined> {
    const { response, id, query } = context;
    response.setHeader('X-Robots-Tag', 'noindex, nofollow');
    const grant = this.deps.addresses.read(id, query);
    if (grant === undefined) {
      sendPage(context, 403, contentProblemPage(message('addressEnded')));
      return undefined;
    }
    const found = await this.deps.thumbnails.find(id, this.deps.now());
    const permission = this.permissionOf(grant);
    if (found === undefined || !(await permission([found.photo]))) {
      sendPage(context, 404, contentProblemPage(message('noPhotoText')));
      return undefined;
    }
    return { grant, found, permission };
  }

  /** Answers a request to the only route of this host. */
  async send(context: BufferedContext, { grant, found, permission }: Granted): Promise<void> {
    const { response, id } = context;
    const { variant } = grant;
    if (variant !== 'file') {
      // Pictures are shown on pages of another host; originals are not. Each address is for some hours at most.
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
      await this.showPicture(grant, found, { variant, response });
      return;
    }
    const { photo } = found;
    const { store, open } = this.deps;
    const who = limitKey(grant.recipient, context);
    const sendPhoto = async (): Promise<void> => {
      const isWhole = await this.mayHaveLocation(grant.recipient);
      const patches = isWhole ? [] : await patchesWithoutLocation(this.deps, photo);
      if (typeof patches === 'string') {
        sendLocationProblem(context, patches, contentProblemPage);
      } else {
        await sendFile(store, { ...photo, patches, isDirect: isWhole }, context);
      }
    };
    const isAllowed = await open.run(who, () =>
      sendPhotoWhilePermitted(this.deps, id, { response, permission }, sendPhoto),
    );
    if (!isAllowed) {
      response.setHeader('Retry-After', '5');
      sendPage(context, 429, contentProblemPage(message('tooManyDownloads')));
    }
  }

  /** Shows a picture as the user or the link sees it. An address with a version is only for that one. */
  private async showPicture(
    { recipient, version }: ContentGrant,
    found: ShownPhoto,
    wanted: { readonly variant: 'thumbnail' | 'preview'; readonly response: ServerResponse },
  ): Promise<void> {
    const isOf = (current: string | undefined): boolean =>
      version !== undefined && version === current;
    if (recipient.kind === 'user') {
      const isFixed = isOf(found.photo.preview && String(found.photo.preview.version));
      await showPicture(this.deps, found, { ...wanted, isFixed });
      return;
    }
    const share = await this.deps.shares.find(recipient.id);
    if (share === undefined) {
      sendStatus(wanted.response, 404);
    } else {
      const isFixed = isOf(pictureVersion(found.photo, share));
      await showToGuest(this.deps, share, found, { ...wanted, isFixed });
    }
  }

  private async mayHaveLocation({ kind, id }: Recipient): Promise<boolean> {
    const share = kind === 'link' ? await this.deps.shares.find(id) : undefined;
    return kind === 'user' || (share !== undefined && !removesLocation(share));
  }

  private permissionOf({ recipient: { kind, id }, variant }: ContentGrant): Permission {
    const { accounts, shares } = this.deps;
    return kind === 'user'
      ? permissionOf(accounts, id)
      : permissionOfLink(() => shares.find(id), variant === 'file' ? 'original' : 'picture');
  }
}

/** The key under which a download counts: the same as for the pages. */
function limitKey({ kind, id }: Recipient, { clientAddress }: BufferedContext): string {
  return kind === 'user' ? id : guestKey(clientAddress);
}

/** A page without links: this host has no other pages, and visitors can go back to the page that they came from. */
function contentProblemPage(problem: Message): Page {
  return page(
    'didNotWork',
    (translator) =>
      html`<h1>${translator.t('didNotWork')}</h1>
        ${errorBox(translator, problem)}`,
  );
}
