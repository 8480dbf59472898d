import { redirectToContent, type ContentAddresses } from '../../content/index.js';
import { sendPage, type PageTarget } from '../../../kernel/http/responses.js';
import { message } from '../../../kernel/i18n/message.js';
import type { ConcurrencyLimit } from '../../../kernel/single-flight.js';
import type { UploadStorage } from '../../uploads/index.js';
import { canView, type PageHandler, type Accounts } from '../../../identity/index.js';
import { permissionOf, sendPhotoWhilePermitted, type RecheckDeps } from './download-permission.js';
import { photoNotFoundPage, photoErrorPage } from '../pages/not-found-page.js';
import type { PhotoTable } from '../data/photo-table.js';
import { sendFile } from './send-file.js';

/** How many downloads one user may have open in one process: slow readers keep files open. */
export const MAX_OPEN_DOWNLOADS = 16;

export interface DownloadDeps extends RecheckDeps {
  readonly photos: PhotoTable;
  readonly accounts: Pick<Accounts, 'workspacesOf'>;
  readonly store: Pick<UploadStorage, 'readRange' | 'directUrl'>;
  /** The addresses of stored files, if they have a separate host. */
  readonly content: ContentAddresses | undefined;
  /** Limits the open downloads of each user; see {@link MAX_OPEN_DOWNLOADS}. */
  readonly open: ConcurrencyLimit;
}

/** Sends the original of a photo, even while it is in the trash. */
export function download(deps: DownloadDeps): PageHandler {
  const { photos, accounts, store, content, open } = deps;
  return async (context) => {
    const { response, id, account, memberships } = context;
    const photo = await photos.find(id);
    if (photo === undefined || !canView(photo, account.id, memberships)) {
      sendPage(context, 404, photoNotFoundPage());
      return;
    }
    if (content !== undefined) {
      const recipient = { kind: 'user', id: account.id } as const;
      redirectToContent(content, { photoId: id, variant: 'file', recipient }, response);
      return;
    }
    const reader = { response, permission: permissionOf(accounts, account.id) };
    const send = (): Promise<void> => sendFile(store, { ...photo, isDirect: true }, context);
    const isAllowed = await open.run(account.id, () =>
      sendPhotoWhilePermitted(deps, id, reader, send),
    );
    if (!isAllowed) {
      refuseDownload(context);
    }
  };
}

/** Refuses a download to a user with too many open ones. */
export function refuseDownload(context: PageTarget): void {
  context.response.setHeader('Retry-After', '5');
  sendPage(context, 429, photoErrorPage(message('tooManyDownloads')));
}
