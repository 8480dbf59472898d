import type { EventAbout, EventDeclaration } from '../../kernel/events/event.js';
import { LINK_EVENTS } from './events.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AlsoInTransaction, Queryable } from '../../kernel/database/database.js';
import type { Audit } from '../../identity/index.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import type { Language } from '../../kernel/i18n/locale-negotiation.js';
import {
  MAX_KNOWN_GUESTS,
  MAX_REVIEWERS,
  setReviewers,
  type GuestTable,
  type NewReviewer,
  type Photo,
  type PhotoTable,
} from '../../library/index.js';
import { DECISION_EVENTS, setRound, type RoundTable } from '../rounds/index.js';
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
  readonly rounds: RoundTable;
  readonly guestList: Pick<GuestTable, 'known'>;
  readonly audit: Audit;
  readonly now: () => Date;
}

/** The decision that a link asks for. */
export interface DecisionEdit {
  readonly until: Date;
  /** How many minutes the studio is behind UTC. */
  readonly offset: number;
  /** Undefined when they cannot be read. */
  readonly reviewers: readonly NewReviewer[] | undefined;
  /** Of the mails to reviewers. */
  readonly locale: Language;
}

/** What a user changes of a link; a missing member stays as it is. */
export interface ShareEdit extends Partial<Omit<ShareOffer, 'coverPhotoId'>> {
  /** The id of any version of the cover photo; empty for none. */
  readonly cover?: string | undefined;
  readonly expiresAt?: Date | undefined;
  /** Empty for none. */
  readonly password?: string | undefined;
  /** Undefined for none. */
  readonly decision?: DecisionEdit | undefined;
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
    const problem = this.problemOf(share, edit) ?? (await this.decisionProblem(share, edit));
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
    const note = this.noted(response, LINK_EVENTS.changed, share, by);
    const changed = await this.deps.shares.change(
      share,
      { offer, expiresAt, passwordHash },
      async (transaction) => {
        if ('decision' in edit) {
          await this.setDecision(transaction, share, { ...edit, expiresAt }, { by, response });
        }
        await note(transaction);
      },
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

  /** The date and the reviewers of a decision that is new. */
  private async decisionProblem(
    { id, expiresAt: end }: Share,
    { decision, expiresAt = end }: ShareEdit,
  ): Promise<Message | undefined> {
    if (decision === undefined) {
      return undefined;
    }
    const { until, reviewers } = decision;
    const round = await this.deps.rounds.of(id);
    const isSame = round?.until.getTime() === until.getTime();
    // The day of the decision may be that on which the link expires.
    const isInTime =
      until.getTime() > this.deps.now().getTime() && until.getTime() - expiresAt.getTime() < DAY_MS;
    if (!isSame && !isInTime) {
      return message('chooseDecisionDay');
    }
    if (reviewers === undefined) {
      return message('chooseReviewers', { max: MAX_REVIEWERS });
    }
    const known = new Set((await this.deps.guestList.known(id)).map(({ name }) => name));
    const added = reviewers.filter(({ name }) => !known.has(name)).length;
    return known.size + added > MAX_KNOWN_GUESTS ? message('guestsAreFull') : undefined;
  }

  private async setDecision(
    transaction: Queryable,
    share: OpenShare,
    { decision, expiresAt }: ShareEdit & { readonly expiresAt: Date },
    { by, response }: { readonly by: SharingUser; readonly response: ServerResponse },
  ): Promise<void> {
    const now = this.deps.now();
    const { until, offset = 0, reviewers = [], locale = 'en' } = decision ?? {};
    await setReviewers(transaction, share.id, reviewers, { locale, now });
    const end = until && new Date(Math.min(until.getTime(), expiresAt.getTime()));
    const isNew = await setRound(transaction, share.id, end && { until: end, offset }, now);
    if (isNew && end !== undefined) {
      const details = { until: end.toISOString(), reviewers: reviewers.length };
      await this.noted(response, DECISION_EVENTS.requested, share, by, details)(transaction);
    }
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
    details?: EventAbout,
  ): AlsoInTransaction {
    const about = {
      by: accountId,
      grantId,
      ...linkForLog({ ...share, workspaceId: share.workspace.id }),
      ...(details && { details }),
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
