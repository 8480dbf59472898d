import type { ServerResponse } from 'node:http';
import {
  watermarkTag,
  drawnPageIn,
  isOfVersion,
  redirectToContent,
  showFrames,
  showPicture,
  showPage,
  showWatermarked,
  variantIn,
  type ContentAddresses,
  type GuestPictureDeps,
  type PageDeps,
  type Photo,
  type PhotoTable,
  type PictureAddresses,
  type ShownPhoto,
} from '../../library/index.js';
import { sendStatus } from '../../kernel/http/responses.js';
import { ofPage } from '../../site/addresses/photo-paths.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { playsFilms } from './guest-films.js';
import type { LinkRequest } from './link-permission.js';
import { includes, photoIdIn, ShareContents } from './share-contents.js';
import { watermarkTextOf, type Share } from './share.js';

export interface GuestPicturesDeps extends GuestPictureDeps, Pick<PageDeps, 'pages'> {
  readonly photos: PhotoTable;
  /** The addresses of stored files, if they have a separate host. */
  readonly content: ContentAddresses | undefined;
}

/** A link, as far as its pictures depend on it. */
type MarkedShare = Pick<Share, 'watermark' | 'workspace'>;

/** The pictures that pages of links show. */
export class GuestPictures {
  private readonly contents: ShareContents;

  constructor(private readonly deps: GuestPicturesDeps) {
    this.contents = new ShareContents(deps.photos);
  }

  /** Answers a GET of the thumbnail or the preview of a photo. */
  async picture(link: LinkRequest, variant: 'thumbnail' | 'preview'): Promise<void> {
    const { response, query } = link.context;
    const id = photoIdIn(query);
    const found = await this.deps.thumbnails.findCurrent(id, this.deps.now());
    if (found === undefined || !includes(link.share, found.photo)) {
      sendStatus(response, 404);
    } else {
      const isFixed = isFixedAddress(link.share, found.photo, { id, query });
      const { content } = this.deps;
      if (content === undefined) {
        await showToGuest(this.deps, link.share, found, { variant, isFixed, response });
      } else {
        const version = isFixed ? pictureVersion(found.photo, link.share) : undefined;
        const recipient = { kind: 'link', id: link.share.id } as const;
        redirectToContent(
          content,
          { photoId: found.photo.id, variant, recipient, version },
          response,
        );
      }
    }
  }

  /** Answers a GET of the picture of a page of a document. */
  async pagePicture(link: LinkRequest): Promise<void> {
    const { response, query } = link.context;
    const id = photoIdIn(query);
    const found = await this.deps.thumbnails.findCurrent(id, this.deps.now());
    const page = found && drawnPageIn(query, found.photo);
    if (found === undefined || page === undefined || !includes(link.share, found.photo)) {
      sendStatus(response, 404);
      return;
    }
    const isFixed = isFixedAddress(link.share, found.photo, { id, query });
    const wanted = { variant: variantIn(query), isFixed, response };
    await showPageToGuest(this.deps, link.share, found, page, wanted);
  }

  /** Answers a GET of the frames of a film. They have no watermark, so a link with one does not show them. */
  async frames(link: LinkRequest): Promise<void> {
    const { response, query } = link.context;
    const photo = playsFilms(link.share)
      ? await this.contents.find(link.share, photoIdIn(query))
      : undefined;
    if (photo === undefined) {
      sendStatus(response, 404);
      return;
    }
    await showFrames(this.deps, photo, isOfVersion(photo, photoIdIn(query), query), response);
  }
}

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
function isFixedAddress(
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
async function showPageToGuest(
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
