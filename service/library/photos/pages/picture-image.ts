import { html, type Html } from '../../../kernel/html-tag.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { atVersion, PHOTOS } from '../../../site/addresses/photo-paths.js';
import type { Photo } from '../data/photo.js';

/** The longest side of a thumbnail, in pixels. */
const THUMBNAIL_SIDE = 512;

/** What is needed to show a picture. A version has it, too. */
export type ShownPicture = Pick<Photo, 'id' | 'width' | 'height' | 'preview'>;

/** Where the pictures of a photo are. */
export interface PictureAddresses {
  readonly thumbnail: string;
  readonly preview: string;
}

/** Where members find the frames of a film; undefined where there are none. */
export function framesAddress({
  id,
  preview,
  framesBytes,
}: Pick<Photo, 'id' | 'preview' | 'framesBytes'>): string | undefined {
  return framesBytes === undefined ? undefined : atVersion(PHOTOS.frames(id), preview?.version);
}

interface PictureOptions {
  /** How wide the picture is shown, as in the `sizes` attribute. */
  readonly sizes: string;
  /** Empty where the name is next to the picture. */
  readonly alt?: string;
  /** By default those for members. */
  readonly addresses?: PictureAddresses;
}

/** Where members find the pictures of a photo. */
export function pictureAddresses({
  id,
  preview,
}: Pick<ShownPicture, 'id' | 'preview'>): PictureAddresses {
  return {
    thumbnail: atVersion(PHOTOS.thumbnail(id), preview?.version),
    preview: atVersion(PHOTOS.preview(id), preview?.version),
  };
}

/**
 * A picture of a photo. The browser chooses the thumbnail or the preview by the width at which it is shown. It has the
 * shape of the picture before it is loaded, so that the page does not move.
 */
export function pictureImage(
  photo: ShownPicture,
  { sizes, alt = '', addresses = pictureAddresses(photo) }: PictureOptions,
): Html {
  const { preview } = photo;
  const width = preview?.width ?? photo.width ?? THUMBNAIL_SIDE;
  const height = preview?.height ?? photo.height ?? THUMBNAIL_SIDE;
  const longest = Math.max(width, height);
  const smallWidth = Math.max(1, Math.round((width * THUMBNAIL_SIDE) / longest));
  const { thumbnail } = addresses;
  const sources = `${thumbnail} ${smallWidth}w, ${addresses.preview} ${width}w`;
  const hasChoice = preview !== undefined && longest > THUMBNAIL_SIDE;
  return html`<img
    src="${thumbnail}"
    ${hasChoice ? html`srcset="${sources}" sizes="${sizes}"` : undefined}
    width="${String(width)}"
    height="${String(height)}"
    alt="${alt}"
    translate="no"
    loading="lazy"
    decoding="async"
  />`;
}

/** How long after its upload a photo without pictures may still get them. */
const PICTURE_WAIT_MS = 10 * 60_000;

type MissingPicture = Pick<Photo, 'preview' | 'uploadedAt'> & Partial<Pick<Photo, 'mediaType'>>;

/** Whether the pictures of a photo may still be made. */
export function waitsForPreview({ preview, uploadedAt }: MissingPicture, now: Date): boolean {
  return preview === undefined && now.getTime() - uploadedAt.getTime() < PICTURE_WAIT_MS;
}

/** A sentence under the tile of a file whose pictures cannot be made. */
export function previewMissing(
  translator: Translator,
  photo: MissingPicture,
  now: Date,
): Html | undefined {
  return photo.preview === undefined && !waitsForPreview(photo, now)
    ? html`<p class="no-preview soft">${translator.t(sentenceFor(photo.mediaType))}</p>`
    : undefined;
}

/** Kinds of pictures all of which have a preview, unless they are damaged or too large. */
const ALWAYS_SHOWN = /^image\/(?:avif|gif|jpeg|png|webp)$/;

function sentenceFor(
  mediaType: string | undefined,
): 'noDocumentPreview' | 'noPicturePreview' | 'noPreview' {
  if (mediaType === 'application/pdf') {
    return 'noDocumentPreview';
  }
  return ALWAYS_SHOWN.test(mediaType ?? '') ? 'noPicturePreview' : 'noPreview';
}
