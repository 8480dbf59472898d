import type { Accounts } from '../../identity/index.js';
import { sendApiError, type ApiError } from '../../kernel/http/api-error.js';
import { permit } from '../../kernel/http/permission.js';
import type { BufferedContext } from '../../kernel/http/request/request-context.js';
import { sendJson, sendStatus } from '../../kernel/http/responses.js';
import type { Route } from '../../kernel/http/router.js';
import {
  presentFeedback,
  type FeedbackTable,
  type GuestAddresses,
  type ListedGuest,
} from '../../library/index.js';
import { tokenPermission, type BearerCheck, type Principal } from '../../oauth/index.js';
import { GUESTS_API_PATH } from '../../site/addresses/share-paths.js';
import type { DigestTable, Finish } from '../digests/index.js';
import type { Subscription, SubscriptionTable } from '../replies/index.js';
import { removeGuests, type GuestRemovalDeps } from './guest-removal.js';
import { mayChange, type OpenShare } from './share.js';
import type { ShareTable } from './share-table.js';

export interface GuestApiDeps extends GuestRemovalDeps {
  readonly bearer: BearerCheck;
  readonly accounts: Pick<Accounts, 'workspacesOf'>;
  readonly shares: Pick<ShareTable, 'find' | 'findEnded'>;
  readonly answers: Pick<FeedbackTable, 'ofGuest'>;
  readonly guestAddresses: Pick<GuestAddresses, 'emailOf'>;
  readonly digests: Pick<DigestTable, 'finishOf'>;
  readonly subscriptions: SubscriptionTable;
}

/** A guest of a link that the user may change. */
interface FoundGuest {
  readonly share: OpenShare;
  /** Undefined for one who has only finished. */
  readonly listed: ListedGuest | undefined;
  readonly finish: Finish | undefined;
  readonly subscription: Subscription | undefined;
  /** Without a name before the first answer. */
  readonly guest: { readonly id: string; readonly name: string };
}

/** The API for what one guest of a link typed: who may change the link exports and removes it. */
export function guestApiRoutes(deps: GuestApiDeps): Route[] {
  const { answers, guestAddresses } = deps;
  const reading = tokenPermission(deps.bearer, ['uploads:read', 'workspace:read']);
  const writing = tokenPermission(deps.bearer, ['feedback:write']);
  const show = async (context: BufferedContext, caller: Principal): Promise<void> => {
    const found = await findGuest(deps, context, caller);
    if (found === undefined) {
      return;
    }
    const { share, guest, listed, finish, subscription } = found;
    const feedback = await answers.ofGuest(share.id, guest.id);
    sendJson(context.response, 200, {
      ...{ id: guest.id, name: guest.name, link: share.id },
      is_known: listed?.isKnown ?? false,
      email: (await guestAddresses.emailOf(share.id, guest.id)) ?? null,
      replies_by_mail: subscription === undefined ? null : presentSubscription(subscription),
      finished:
        finish === undefined
          ? null
          : { at: finish.at.toISOString(), text: finish.sentence ?? null },
      feedback: feedback.map((one) => ({ ...presentFeedback(one), file: one.photoName })),
    });
  };
  const remove = async (context: BufferedContext, caller: Principal): Promise<void> => {
    const found = await findGuest(deps, context, caller);
    if (found !== undefined) {
      const { accountId, permission } = caller;
      const user = {
        accountId,
        ...(permission.kind === 'grant' && { grantId: permission.id }),
      };
      const { response } = context;
      if (found.guest.name === '') {
        await deps.subscriptions.forget(found.share.id, found.guest.id);
      } else {
        await removeGuests(deps, found.share, [found.guest], { user, response });
      }
      sendStatus(response, 204);
    }
  };
  return [
    {
      path: `${GUESTS_API_PATH}/:id`,
      kind: 'api',
      handlers: {
        ...permit(reading, { GET: show }),
        ...permit(writing, { DELETE: remove }),
      },
    },
  ];
}

/** The guest of the address; undefined when the refusal has been sent. */
async function findGuest(
  { accounts, shares, guestList, digests, subscriptions }: GuestApiDeps,
  { response, query, id }: BufferedContext,
  { accountId, workspaceId }: Principal,
): Promise<FoundGuest | undefined> {
  const link = query.get('link') ?? '';
  const share = (await shares.find(link)) ?? (await shares.findEnded(link));
  const memberships = await accounts.workspacesOf(accountId);
  const isTheirs = share?.workspace.id === workspaceId && mayChange(share, accountId, memberships);
  if (share === undefined || !isTheirs) {
    sendApiError(response, NOT_FOUND);
    return undefined;
  }
  const listed = await guestList.find(share.id, id);
  const finish = await digests.finishOf(share.id, id);
  const subscription = await subscriptions.of(share.id, id);
  const guest = listed ?? finish?.guest ?? (subscription && { name: '' });
  if (guest === undefined) {
    sendApiError(response, NOT_FOUND);
    return undefined;
  }
  return { share, listed, finish, subscription, guest: { id, name: guest.name } };
}

function presentSubscription({ email, locale, requestedAt, confirmedAt }: Subscription) {
  return {
    ...{ email, language: locale, requested: requestedAt.toISOString() },
    confirmed: confirmedAt?.toISOString() ?? null,
  };
}

const NOT_FOUND: ApiError = {
  status: 404,
  error: 'not_found',
  description: 'there is no such guest of a link that the user may change',
};
