import { canView, type AuthenticatedRequest, type PageHandler } from '../../identity/index.js';
import { message } from '../../kernel/i18n/message.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import {
  photoErrorPage,
  photoNotFoundPage,
  photosOfList,
  refuseDownload,
  type ProjectTable,
  type PhotoTable,
} from '../../library/index.js';
import type { ConcurrencyLimit } from '../../kernel/single-flight.js';
import type { ReceiptRequest, ReceiptWriter } from './receipt-writer.js';
import { MAX_IN_RECEIPT } from './receipt.js';
import { nameOf, nameOfDay, sendReceipt } from './send-receipt.js';

export interface ReceiptDownloadDeps {
  readonly photos: Pick<PhotoTable, 'findCurrent' | 'listed' | 'severalCurrent'>;
  readonly projects: Pick<ProjectTable, 'find'>;
  readonly receipts: ReceiptWriter;
  /** Limits the open downloads of each user. */
  readonly open: ConcurrencyLimit;
  readonly now: () => Date;
}

/** Sends the receipt of one photo in its current version. */
export function receiptOfPhoto(deps: ReceiptDownloadDeps): PageHandler {
  return async (context) => {
    const { id, account, memberships } = context;
    const photo = await deps.photos.findCurrent(id);
    const isThere = photo?.trashedAt === undefined && photo !== undefined;
    if (!isThere || !canView(photo, account.id, memberships)) {
      sendPage(context, 404, photoNotFoundPage());
      return;
    }
    const { workspaceId, name } = photo;
    await send(deps, context, { workspaceId, ids: [photo.id] }, nameOf(name));
  };
}

/** Sends the receipt of the list that the address describes, or of the photos of it that a form selects. */
export function receiptOfList(deps: ReceiptDownloadDeps): PageHandler {
  return async (context) => {
    const chosen = await photosOfList(deps.photos, context, MAX_IN_RECEIPT);
    if (chosen === 'nothing') {
      sendPage(context, 404, photoErrorPage(message('noPhotoMatches')));
    } else if (chosen === 'too many') {
      const problem = message('tooManyForReceipt', { max: MAX_IN_RECEIPT });
      sendPage(context, 400, photoErrorPage(problem));
    } else if ('problem' in chosen) {
      sendRedirect(context.response, chosen.problem);
    } else {
      const project = await deps.projects.find(chosen.project);
      const isHere = project?.workspaceId === chosen.workspaceId;
      const name = isHere ? nameOf(project.name) : nameOfDay(deps.now());
      await send(deps, context, chosen, name);
    }
  };
}

async function send(
  { receipts, open }: ReceiptDownloadDeps,
  context: AuthenticatedRequest,
  { workspaceId, ids }: Pick<ReceiptRequest, 'workspaceId' | 'ids'>,
  name: string,
): Promise<void> {
  const { account, response } = context;
  const isAllowed = await open.run(account.id, async () => {
    const receipt = await receipts.write({ workspaceId, accountId: account.id, ids });
    if (receipt === undefined) {
      sendPage(context, 404, photoNotFoundPage());
    } else {
      sendReceipt(response, receipt, name);
    }
  });
  if (!isAllowed) {
    refuseDownload(context);
  }
}
