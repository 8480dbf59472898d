import type { ServerResponse } from 'node:http';
import {
  watermarkTag,
  isOfVersion,
  showPicture,
  showPage,
  showWatermarked,
  type GuestPictureDeps,
  type PageDeps,
  type Photo,
  type PictureAddresses,
  type ShownPhoto,
} from '../../library/index.js';
import { ofPage } from '../../site/addresses/photo-paths.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { watermarkTextOf, type Share } from './share.js';

/** A link, as far as its pictures depend on it. */
type MarkedShare = Pick<Share, 'watermark' | 'workspace'>;

/** Where guests with a link find the pictures of a photo. The addresses name the version and the watermark. */
export function sharedPictureAddresses(
  token: string,
  { id, preview }: Pick<Photo, 'id' | 'preview'>,
  share: MarkedShare,
): PictureAddresses {
  const query = new URLSearchParams({
    photo: id,
    ...(preview !== undefined && { v: String(preview.version), ...tagOf(share) }),
  }).toString();
  return {
    thumbnail: `${SHARES.thumbnail(token)}?${query}`,
    preview: `${SHARES.preview(token)}?${query}`,
  };
}

/** Where they find the pictures of a page of a document. */
export function sharedPageAddresses(
  token: string,
  { id, preview }: Pick<Photo, 'id' | 'preview'>,
  share: MarkedShare,
  page: number,
): PictureAddresses {
  if (page === 1) {
    return sharedPictureAddresses(token, { id, preview }, share);
  }
  const address = (as: 'thumbnail' | 'preview'): string =>
    `${SHARES.page(token)}?${new URLSearchParams({
      photo: id,
      ...ofPage(page, as),
      ...(preview !== undefined && { v: String(preview.version), ...tagOf(share) }),
    }).toString()}`;
  return { thumbnail: address('thumbnail'), preview: address('preview') };
}

/** Where they find the frames of a film; undefined where there are none, and with a watermark, which they do not have. */
export function sharedFramesAddress(
  token: string,
  { id, preview, framesBytes }: Pick<Photo, 'id' | 'preview' | 'framesBytes'>,
  { watermark }: Pick<Share, 'watermark'>,
): string | undefined {
  const query = { photo: id, ...(preview !== undefined && { v: String(preview.version) }) };
  return framesBytes === undefined || watermark
    ? undefined
    : `${SHARES.frames(token)}?${new URLSearchParams(query).toString()}`;
}

/** The version of the pictures of a photo, as guests of a link see them; undefined while there are none. */
export function pictureVersion({ preview }: Photo, share: MarkedShare): string | undefined {
  const { mark } = tagOf(share);
  return preview && (mark === undefined ? String(preview.version) : `${preview.version}.${mark}`);
}

/** Whether an address of a picture always leads to the same one. */
export function isFixedAddress(
  share: MarkedShare,
  photo: Photo,
  { id, query }: { readonly id: string; readonly query: URLSearchParams },
): boolean {
  return isOfVersion(photo, id, query) && query.get('mark') === (tagOf(share).mark ?? null);
}

/** Answers with a picture for the guests of a link: with a watermark, if the link has one. */
export async function showToGuest(
  deps: GuestPictureDeps,
  share: MarkedShare,
  shown: ShownPhoto,
  wanted: {
    readonly variant: 'thumbnail' | 'preview';
    readonly isFixed: boolean;
    readonly response: ServerResponse;
  },
): Promise<void> {
  const text = watermarkTextOf(share);
  await (text === undefined
    ? showPicture(deps, shown, wanted)
    : showWatermarked(deps, shown, text, wanted));
}

/** Answers with a page of a document for the guests of a link, as {@link showToGuest}. */
export async function showPageToGuest(
  deps: GuestPictureDeps & Pick<PageDeps, 'pages'>,
  share: MarkedShare,
  shown: ShownPhoto,
  page: number,
  wanted: Parameters<typeof showToGuest>[3],
): Promise<void> {
  await (page === 1
    ? showToGuest(deps, share, shown, wanted)
    : showPage(deps, shown, { page, watermark: watermarkTextOf(share) }, wanted));
}

function tagOf(share: MarkedShare): { readonly mark?: string } {
  const text = watermarkTextOf(share);
  return text === undefined ? {} : { mark: watermarkTag(text) };
}
