import type { MailPicture } from '../../kernel/mail/mail-layout.js';
import {
  readThumbnail,
  type ImageWorker,
  type Library,
  type UploadStorage,
} from '../../library/index.js';
import { includes } from './share-contents.js';
import type { ShareTable } from './share-table.js';

export interface LinkPicturesDeps {
  readonly shares: Pick<ShareTable, 'find'>;
  readonly thumbnails: Library['thumbnails'];
  readonly store: Pick<UploadStorage, 'readThumbnail'>;
  readonly imageWorker: Pick<ImageWorker, 'mailPicture'>;
  readonly now: () => Date;
}

/** Finds pictures for the mails about a link: of photos that it shows, and that have thumbnails. */
export function linkPictures({ shares, thumbnails, store, imageWorker, now }: LinkPicturesDeps) {
  return async (shareId: string, photoId: string): Promise<MailPicture | undefined> => {
    const share = await shares.find(shareId);
    const found = await thumbnails.findCurrent(photoId, now());
    if (share === undefined || found === undefined || !includes(share, found.photo)) {
      return undefined;
    }
    const { picture } = found.thumbnail;
    const thumbnail = picture && (await readThumbnail(store, found.photo.id, picture));
    const jpeg = thumbnail && (await imageWorker.mailPicture(share.workspace.id, thumbnail));
    return jpeg && { label: found.photo.name, jpeg };
  };
}
