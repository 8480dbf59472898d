import type { EventDeclaration } from '../../kernel/events/event.js';
import { LINK_EVENTS } from './events.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AlsoInTransaction } from '../../kernel/database/database.js';
import type { Audit } from '../../identity/index.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import type { Photo, PhotoTable } from '../../library/index.js';
import { includes } from './share-contents.js';
import {
  linkForLog,
  MAX_LIMITS,
  MAX_SHARE_DAYS,
  MAX_SHARE_MESSAGE,
  MAX_SHARE_TITLE,
  MAX_SHARES,
  SHARE_PASSWORD_LENGTH,
  downloadsOf,
  type OpenShare,
  type Share,
  type ShareOffer,
  type SharingUser,
} from './share.js';
import type { SharePasswords } from './share-passwords.js';
import type { ShareTable } from './share-table.js';

const DAY_MS = 24 * 3_600_000;

export interface ShareChangesDeps {
  readonly photos: Pick<PhotoTable, 'findCurrent'>;
  readonly shares: ShareTable;
  readonly passwords: SharePasswords;
  readonly audit: Audit;
  readonly now: () => Date;
}

/** What a user changes of a link; a missing member stays as it is. */
export interface ShareEdit extends Partial<Omit<ShareOffer, 'coverPhotoId'>> {
  /** The id of any version of the cover photo; empty for none. */
  readonly cover?: string | undefined;
  readonly expiresAt?: Date | undefined;
  /** Empty for none. */
  readonly password?: string | undefined;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Changes, revokes and restores links, for pages and programs. The caller has checked that the user may. */
export class ShareChanges {
  constructor(private readonly deps: ShareChangesDeps) {}

  /** @returns why the change is refused; 'busy' when too many passwords are being hashed; 'gone' without such a link. */
  async change(
    share: OpenShare,
    edit: ShareEdit,
    by: SharingUser,
    { request, response }: Exchange,
  ): Promise<'changed' | 'busy' | 'gone' | { readonly problem: Message }> {
    const problem = this.problemOf(share, edit);
    if (problem !== undefined) {
      return { problem };
    }
    const coverPhotoId = await this.coverOf(share, edit);
    if (coverPhotoId === null) {
      return { problem: message('chooseCover') };
    }
    const passwordHash = await this.passwordOf(share, edit, request);
    if (passwordHash === null) {
      return 'busy';
    }
    const watermark = edit.watermark ?? share.watermark;
    const offer: ShareOffer = {
      title: textOf('title' in edit ? edit.title : share.title),
      message: textOf('message' in edit ? edit.message : share.message),
      coverPhotoId,
      downloads: downloadsOf({ watermark, downloads: edit.downloads ?? share.downloads }),
      showsLocation: edit.showsLocation ?? share.showsLocation,
      watermark,
      takesFeedback: edit.takesFeedback ?? share.takesFeedback,
      maxFavourites: 'maxFavourites' in edit ? edit.maxFavourites : share.maxFavourites,
      maxDownloads: 'maxDownloads' in edit ? edit.maxDownloads : share.maxDownloads,
    };
    const expiresAt = edit.expiresAt ?? share.expiresAt;
    const changed = await this.deps.shares.change(
      share,
      { offer, expiresAt, passwordHash },
      this.noted(response, LINK_EVENTS.changed, share, by),
    );
    if (changed === 'full') {
      return { problem: FULL };
    }
    return changed ? 'changed' : 'gone';
  }

  async revoke(share: Share, by: SharingUser, response: ServerResponse): Promise<void> {
    await this.deps.shares.revoke(share, this.noted(response, LINK_EVENTS.revoked, share, by));
  }

  /** @returns why the link cannot be restored. */
  async restore(
    share: Share,
    by: SharingUser,
    response: ServerResponse,
  ): Promise<Message | undefined> {
    const also = this.noted(response, LINK_EVENTS.restored, share, by);
    return (await this.deps.shares.restore(share, also)) === 'full' ? FULL : undefined;
  }

  private problemOf(
    share: Share,
    { title, message: text, ...edit }: ShareEdit,
  ): Message | undefined {
    if (lengthOf(title) > MAX_SHARE_TITLE) {
      return message('shareTitleLength', { max: MAX_SHARE_TITLE });
    }
    if (lengthOf(text) > MAX_SHARE_MESSAGE) {
      return message('shareMessageLength', { max: MAX_SHARE_MESSAGE });
    }
    if ((edit.watermark ?? share.watermark) && edit.downloads === 'original') {
      return message('watermarkNoOriginals');
    }
    if (!isLimit(edit.maxFavourites, MAX_LIMITS.favourites)) {
      return message('chooseLimit', { max: MAX_LIMITS.favourites });
    }
    if (!isLimit(edit.maxDownloads, MAX_LIMITS.downloads)) {
      return message('chooseLimit', { max: MAX_LIMITS.downloads });
    }
    const { min, max } = SHARE_PASSWORD_LENGTH;
    const { password = '', expiresAt = share.expiresAt } = edit;
    if (password !== '' && (password.length < min || password.length > max)) {
      return message('sharePasswordLength', { min, max });
    }
    const days = (expiresAt.getTime() - this.deps.now().getTime()) / DAY_MS;
    return days > 0 && days <= MAX_SHARE_DAYS
      ? undefined
      : message('chooseShareEnd', { days: MAX_SHARE_DAYS });
  }

  /** The id of the cover photo's first version; undefined for none; null when the link does not show that photo. */
  private async coverOf(
    share: OpenShare,
    { cover }: ShareEdit,
  ): Promise<string | undefined | null> {
    if (cover === undefined || cover === share.coverPhotoId) {
      return share.coverPhotoId;
    }
    if (cover === '') {
      return undefined;
    }
    const photo: Photo | undefined = /^[\w-]{1,64}$/.test(cover)
      ? await this.deps.photos.findCurrent(cover)
      : undefined;
    return photo !== undefined && includes(share, photo) ? photo.photoId : null;
  }

  /** The hash of the password; undefined for none; null when too many are being hashed. */
  private async passwordOf(
    { passwordHash }: Share,
    { password }: ShareEdit,
    request: IncomingMessage,
  ): Promise<string | undefined | null> {
    if (password === undefined) {
      return passwordHash;
    }
    return password === ''
      ? undefined
      : ((await this.deps.passwords.hash(password, request)) ?? null);
  }

  /** Records a change in its transaction. */
  private noted(
    response: ServerResponse,
    event: EventDeclaration,
    share: Share,
    { accountId, grantId }: SharingUser,
  ): AlsoInTransaction {
    const about = {
      by: accountId,
      grantId,
      ...linkForLog({ ...share, workspaceId: share.workspace.id }),
    };
    return (transaction) => this.deps.audit(response, event, about, transaction);
  }
}

const FULL = message('tooManyShares', { max: MAX_SHARES });

function isLimit(limit: number | undefined, max: number): boolean {
  return limit === undefined || (Number.isInteger(limit) && limit >= 1 && limit <= max);
}

function lengthOf(text = ''): number {
  return Array.from(text.trim()).length;
}

/** A text of people: without controls, which no page shows. Line breaks stay. */
function textOf(text = ''): string | undefined {
  const clean = text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n]/gu, '')
    .trim();
  return clean === '' ? undefined : clean;
}
