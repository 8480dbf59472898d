import { html, type Html, verbatim } from '../../../kernel/html-tag.js';
import type { Message } from '../../../kernel/i18n/message.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { PHOTOS } from '../../../site/addresses/photo-paths.js';
import { PROJECTS } from '../../../site/addresses/project-paths.js';
import type { MediaInfo, PictureInfo } from '../../previews/index.js';
import type { Photo } from '../data/photo.js';
import { durationText } from './media-badge.js';

type VideoInfo = Extract<MediaInfo, { readonly kind: 'video' }>;

/** What the details of a photo are made of. */
export interface DetailedPhoto {
  readonly photo: Photo;
  readonly app: string | Message;
  readonly mediaType: string | undefined;
  readonly workspaceName: string;
}

/** Longer exposures are written as a number of seconds, shorter ones as a fraction. */
const LONG_SECONDS = 0.3;
const STARS = 5;
const MM_PER_INCH = 25.4;

/** The details of a photo: information in the file about the picture, the file itself, and where it comes from. */
export function photoDetails(
  translator: Translator,
  { photo, app, mediaType, workspaceName }: DetailedPhoto,
): Html {
  const { width, height, capturedAt, info = {} } = photo;
  const sides = width === undefined || height === undefined ? undefined : { width, height };
  return html`<dl>
    ${row(translator.t('photoTitle'), text(info.title))}
    ${row(
      translator.t('caption'),
      info.caption?.split('\n').map((one) => html`<bdi>${one}</bdi><br />`),
    )}
    ${row(translator.t('captured'), capturedAt === undefined ? undefined : translator.localTime(capturedAt))}
    ${row(translator.t('camera'), info.camera && verbatim(info.camera))}
    ${row(translator.t('lens'), info.lens && verbatim(info.lens))}
    ${row(translator.t('exposure'), exposureText(translator, info.exposure))}
    ${photo.media?.kind === 'document' ? documentRows(translator, photo.media.pages, sides) : row(translator.t('dimensions'), sides && translator.t('pixels', sides))}
    ${photo.media?.kind === 'video' ? videoRows(translator, photo.media) : undefined}
    ${row(translator.t('fileType'), mediaType ?? translator.t('unknownType'))}
    ${row(translator.t('fileSize'), translator.exactBytes(photo.size))}
    ${row(translator.t('keywords'), info.keywords && keywordLinks(photo, info.keywords))}
    ${row(translator.t('creator'), info.creator && verbatim(info.creator))}
    ${row(translator.t('copyright'), text(info.copyright))}
    ${row(translator.t('rating'), info.rating === undefined ? undefined : stars(translator, info.rating))}
    ${row(translator.t('location'), info.hasLocation === true ? translator.t('locationText') : undefined)}
    ${row(translator.t('uploaded'), translator.time(photo.uploadedAt))}
    ${row(translator.t('sentByWhom'), photo.uploaderName && verbatim(photo.uploaderName))}
    ${row(translator.t('app'), typeof app === 'string' ? verbatim(app) : translator.format(app))}
    ${row(translator.t('workspace'), workspaceName && verbatim(workspaceName))}
    ${row(translator.t('project'), projectLink(photo) ?? translator.t('noProject'))}
    ${row('SHA-256', html`<code translate="no">${photo.sha256}</code>`)}
  </dl>`;
}

/** How many pages a document has, and how large the first one is. @param sides in points */
function documentRows(
  translator: Translator,
  pages: number,
  sides: { readonly width: number; readonly height: number } | undefined,
): Html {
  const form = { style: 'unit', unit: 'millimeter', maximumFractionDigits: 0 } as const;
  const format = new Intl.NumberFormat(translator.language, form);
  const [width, height] = [sides?.width ?? 0, sides?.height ?? 0].map((side) =>
    format.format((side / 72) * MM_PER_INCH),
  );
  return html`${row(translator.t('pages'), new Intl.NumberFormat(translator.language).format(pages))}
  ${row(translator.t('pageSize'), sides && `${width} × ${height}`)}`;
}

const VIDEO_CODECS: Readonly<Record<string, string>> = {
  h264: 'H.264',
  hevc: 'HEVC',
  vp8: 'VP8',
  vp9: 'VP9',
  av1: 'AV1',
  prores: 'ProRes',
};
const AUDIO_CODECS: Readonly<Record<string, string>> = {
  aac: 'AAC',
  opus: 'Opus',
  vorbis: 'Vorbis',
  mp3: 'MP3',
  pcm: 'PCM',
};

/** How long a film is, its frame rate, and how picture and sound are coded. */
function videoRows(
  translator: Translator,
  { duration, frameRate, videoCodec, audioCodec, isHdr }: VideoInfo,
): Html {
  const rate =
    frameRate === undefined
      ? undefined
      : new Intl.NumberFormat(translator.language, { maximumFractionDigits: 3 }).format(frameRate);
  const picture = videoCodec && (VIDEO_CODECS[videoCodec] ?? translator.t('otherType'));
  const sound = audioCodec && (AUDIO_CODECS[audioCodec] ?? translator.t('otherType'));
  return html`${row(translator.t('duration'), duration === undefined ? undefined : durationText(duration))}
  ${row(translator.t('frameRate'), rate && translator.t('framesPerSecond', { rate }))}
  ${row(translator.t('video'), picture && (isHdr === true ? `${picture}, HDR` : picture))}
  ${row(translator.t('sound'), picture && (sound ?? translator.t('noSound')))}`;
}

/** One detail; nothing when it is not known. */
function row(name: string, value: Html | string | readonly Html[] | undefined): Html | undefined {
  return value === undefined
    ? undefined
    : html`<dt>${name}</dt>
        <dd>${value}</dd>`;
}

/** A text of strangers. Its direction does not reach beyond it. */
function text(value: string | undefined): Html | undefined {
  return value === undefined ? undefined : html`<bdi>${value}</bdi>`;
}

/** For example `1/250 s · ƒ/2.8 · ISO 200 · 85 mm`. */
function exposureText(
  { language }: Translator,
  { time, aperture, iso, focalLength }: NonNullable<PictureInfo['exposure']> = {},
): string | undefined {
  const number = (value: number, digits = 1): string =>
    new Intl.NumberFormat(language, { maximumFractionDigits: digits, useGrouping: false }).format(
      value,
    );
  const parts = [
    time === undefined
      ? undefined
      : `${time < LONG_SECONDS ? `1/${number(1 / time, 0)}` : number(time)}\u{a0}s`,
    aperture === undefined ? undefined : `ƒ/${number(aperture)}`,
    iso === undefined ? undefined : `ISO\u{a0}${number(iso, 0)}`,
    focalLength === undefined ? undefined : `${number(focalLength)}\u{a0}mm`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(' · ');
}

/** Keywords lead to the other photos of the workspace with the same one. */
function keywordLinks({ workspaceId }: Photo, keywords: readonly string[]): Html {
  return html`<ul>
    ${keywords.map((keyword) => {
      const query = new URLSearchParams({ workspace: workspaceId, q: keyword });
      return html`<li>
        <a href="${PHOTOS.root}?${query.toString()}"><bdi>${keyword}</bdi></a>
      </li>`;
    })}
  </ul>`;
}

function stars(translator: Translator, rating: number): Html {
  const drawn = '★'.repeat(rating) + '☆'.repeat(STARS - rating);
  return html`<span
    role="img"
    aria-label="${translator.t('starsOf', { stars: rating, most: STARS })}"
    >${drawn}</span
  >`;
}

/** A link to the photos of the project that a photo is in. */
function projectLink({ project }: Photo): Html | undefined {
  return project && html`<a href="${PROJECTS.project(project.id)}">${verbatim(project.name)}</a>`;
}
