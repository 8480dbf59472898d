import { canEdit, type AuthenticatedRequest } from '../../identity/index.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import type {
  FeedbackTable,
  GuestAddresses,
  GuestTable,
  LabelNames,
  LabelTable,
  Listed,
  ListedGuest,
  Photo,
  PhotoTable,
  Removal,
} from '../../library/index.js';
import type { DigestTable, Finish } from '../digests/index.js';
import type { SubscriptionTable } from '../replies/index.js';
import { reviewerStates, type ReviewerState, type Round } from '../rounds/index.js';
import { queryOf, readAnswerFilter, shareFilterOf, type AnswerFilter } from './answer-filter.js';
import type { GuestCookie } from './guest-cookie.js';
import type { GuestRemovalDeps } from './guest-removal.js';
import type { OpenShare } from './share.js';
import { ShareContents } from './share-contents.js';
import type { ShareListDeps } from './share-list.js';

/** How many guests a page shows. */
export const PAGE_SIZE = 20;

/** How many guests the filter offers. */
const MAX_CHOICES = 200;

export interface ShareAnswersDeps extends ShareListDeps, GuestRemovalDeps {
  readonly photos: PhotoTable;
  readonly answers: FeedbackTable;
  readonly guestAddresses: GuestAddresses;
  readonly guestList: GuestTable;
  readonly digests: DigestTable;
  readonly subscriptions: SubscriptionTable;
  readonly guests: GuestCookie;
  readonly labels: LabelTable;
}

/** What the page shows of a link and its guests. */
export interface ShownAnswers {
  readonly guests: readonly ListedGuest[];
  readonly filter: AnswerFilter;
  /** The guests whom the filter offers. */
  readonly choices: readonly ListedGuest[];
  /** Those with comments, by the ids of their current versions. */
  readonly photos: ReadonlyMap<string, Photo>;
  readonly canEdit: (photo: Photo) => boolean;
  /** How many guests are on earlier pages. */
  readonly from: number;
  readonly hasMore: boolean;
  /** How many guests the studio does not know. */
  readonly unknown: number;
  /** Those of the guests. */
  readonly answers: readonly Listed[];
  readonly labels: LabelNames;
  /** Undefined where the link asks for none. */
  readonly decision:
    | { readonly round: Round; readonly states: readonly ReviewerState[] }
    | undefined;
  readonly removals: readonly Removal[];
  readonly finishes: readonly Finish[];
  /** The ids of the guests who get replies by mail. */
  readonly mailed: ReadonlySet<string>;
  /** Whether the creator gets mails; undefined for another user. */
  readonly mails: boolean | undefined;
  /** The address of an invited guest. Only the creator gets it, see {@link shareList}. */
  readonly addressOf: ((guest: ListedGuest) => string) | undefined;
}

/** Reads what the filter and the page of the address show. */
export async function readShownAnswers(
  deps: ShareAnswersDeps,
  context: Pick<AuthenticatedRequest, 'query' | 'account' | 'memberships'>,
  share: OpenShare,
): Promise<ShownAnswers> {
  const { shares, answers, digests, guestList, guests, photos } = deps;
  const filter = readAnswerFilter(context.query);
  const isFiltered = queryOf(filter) !== '';
  const wanted = context.query.get('from') ?? '';
  const from = /^\d{1,6}$/.test(wanted) ? Number(wanted) : 0;
  const listed = await guestList.of(share.id, { from, limit: PAGE_SIZE + 1 });
  const page = listed.slice(0, PAGE_SIZE);
  const unknown = await guestList.unknown(share.id);
  const isCreator = share.creatorId === context.account.id;
  const round = await deps.rounds.of(share.id);
  const address = deps.baseUrl + SHARES.shared(shares.tokenOf(share.id));
  const found = isFiltered
    ? await answers.ofShare(share.id, shareFilterOf(filter))
    : await answers.ofGuests(
        share.id,
        page.map(({ id }) => id),
      );
  const comments = found.filter(({ kind }) => kind === 'comment');
  const commented = [...new Set(comments.map(({ currentId }) => currentId))];
  return {
    guests: page,
    filter,
    choices: await guestList.of(share.id, { from: 0, limit: MAX_CHOICES }),
    photos: new Map((await photos.several(commented)).map((photo) => [photo.id, photo])),
    canEdit: (photo) => canEdit(photo, context.account.id, context.memberships),
    from,
    hasMore: listed.length > PAGE_SIZE,
    unknown: unknown.length,
    answers: found,
    labels: await deps.labels.of(share.workspace.id),
    decision: round && {
      round,
      states: await reviewerStates(deps, round, await new ShareContents(photos).files(share)),
    },
    removals: await guestList.removals(share.id),
    finishes: await digests.finishesOf(share.id),
    mailed: await deps.subscriptions.guestsOf(share.id),
    mails: isCreator ? await digests.wantsMails(share.creatorId, share.id) : undefined,
    addressOf: isCreator
      ? (guest) => `${address}?guest=${guests.invitation(share, guest)}`
      : undefined,
  };
}
