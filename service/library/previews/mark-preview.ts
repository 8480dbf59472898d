import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { OverlayOptions } from 'sharp';
import { charactersOf } from './font-coverage.js';
import { encodePictures, type Sharp } from './inspect-image.js';
import type { SentPictures } from './image-info.js';

const require = createRequire(import.meta.url);

/** A font with Latin, Greek, Cyrillic and Japanese characters. Servers often have no fonts at all. */
const fontFile = (): string =>
  require.resolve('@expo-google-fonts/m-plus-1p/700Bold/MPLUS1p_700Bold.ttf');
const FONT = 'M PLUS 1p Bold';

/** In place of a text with characters that the font lacks. */
const MARK = '©';

/** The longest text that is drawn, in characters. */
const MAX_TEXT = 60;

/** The height of the text, and the space around it, as parts of the longer side of a picture. */
const TEXT_PART = 0.045;
const SPACE_PART = 0.05;

/** The text is white with a dark edge, so that it shows on every picture. */
const WHITE_ALPHA = 0.45;
const DARK_ALPHA = 0.35;

const ANGLE = -24;

/** Draws a text over a whole preview, again and again, and makes its thumbnail. */
export async function markPreview(
  library: Sharp,
  preview: Buffer,
  text: string,
): Promise<SentPictures | undefined> {
  const { data, info } = await library(preview, { failOn: 'error' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const tile = await tileOf(library, text, { width, height });
  const marked = await library(data, { raw: { width, height, channels } })
    .composite([{ input: tile, tile: true }])
    .raw()
    .toBuffer({ resolveWithObject: true });
  return encodePictures(library, marked);
}

/** What is repeated over a picture: the text, turned, with space around it. Not larger than the picture. */
async function tileOf(
  library: Sharp,
  text: string,
  picture: { readonly width: number; readonly height: number },
): Promise<Buffer> {
  const { width, height } = picture;
  const side = Math.max(width, height);
  const size = Math.max(8, Math.round(side * TEXT_PART));
  const space = Math.round(side * SPACE_PART);
  const fontfile = fontFile();
  const drawn = escaped(drawable(text, charactersOf(readFileSync(fontfile))));
  const limits = { width: Math.round(side * 0.8), height: size };
  const layer = async (colour: string, alpha: number): Promise<Buffer> => {
    const markup = `<span foreground="${colour}" alpha="${Math.round(alpha * 100)}%">${drawn}</span>`;
    return library({ text: { text: markup, font: FONT, fontfile, rgba: true, ...limits } })
      .png()
      .toBuffer();
  };
  const edge = Math.max(1, Math.round(size / 24));
  const dark = await layer('black', DARK_ALPHA);
  const white = await layer('white', WHITE_ALPHA);
  const { width: textWidth, height: textHeight } = await library(white).metadata();
  const layers: OverlayOptions[] = [
    { input: dark, left: space + edge, top: space + edge },
    { input: white, left: space, top: space },
  ];
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  const flat = await library({
    create: {
      width: textWidth + 2 * space + edge,
      height: textHeight + 2 * space + edge,
      channels: 4,
      background,
    },
  })
    .composite(layers)
    .png()
    .toBuffer();
  const turned = await library(flat).rotate(ANGLE, { background }).png().toBuffer();
  return library(turned)
    .resize({ width, height, fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer();
}

/** The text as the font can draw it. */
function drawable(text: string, has: (codePoint: number) => boolean): string {
  const characters = Array.from(text.normalize('NFC')).slice(0, MAX_TEXT);
  const isComplete = characters.every((character) => has(character.codePointAt(0) ?? 0));
  return isComplete && text.trim() !== '' ? characters.join('') : MARK;
}

/** The text is read as markup of Pango. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
