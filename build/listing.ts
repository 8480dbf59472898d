import { readdirSync, readFileSync } from 'node:fs';
import * as nodePath from 'node:path';
import { LANGUAGES } from '../src/ui/i18n/language.js';
import { isLoopback, parseHttpUrl } from '../src/util/url.js';
import { pngSize } from './png.js';
import { objectOf } from './target.js';

/**
 * What the marketplace requires of a listing (AdobeDocs/uxp-hub: src/pages/guides/how-to/distribution, listing and review
 * guidelines), as far as this repository can provide it. docs/publishing.md has the rest. Lengths in characters.
 */
const LIMITS = { subtitle: 30, description: 5000, tags: 300, releaseNotes: 1000, note: 1000 };
const CATEGORIES = [
  'Collaboration',
  'Tools & Automation',
  'Usability & Testing',
  'Publish & Handoff',
  'Design Assets',
];
/** The size of a screenshot, in pixels. */
export const SCREENSHOT = { width: 1360, height: 800 } as const;
const SCREENSHOTS = { most: 5, maxBytes: 5_000_000 };
const ICON_MAX_BYTES = 1_000_000;
/** The sizes of the listing's icons: width and height in pixels. */
export const LISTING_ICON_SIZES = [48, 96, 192] as const;

/** Trademarks that the branding guidelines forbid in a name or a subtitle. */
const TRADEMARKS =
  /adobe|photoshop|indesign|premiere|illustrator|lightroom|after effects|creative cloud|firefly|acrobat/i;

/** The languages that are files of the package. Each must have every text that English has. */
const TRANSLATIONS = LANGUAGES.filter((language) => language !== 'en');

/** Texts that a language may lack: forms of plurals except `other`. */
const OWN_FORM = /\.(?!other$)/;

/** What {@link listingProblems} checks. */
export interface ListingFiles {
  /** Folder with listing.json, the icons and the screenshots. */
  readonly listingDir: string;
  /** A folder that `npm run build` wrote. */
  readonly distDir: string;
  /** The English texts of the panel. */
  readonly english: object;
  /** The text of CHANGELOG.md. */
  readonly changelog: string;
  /** For development: a service on this machine is allowed. */
  readonly isForDevelopment: boolean;
}

/** The file name of a listing icon, such as `icon-48.png`. */
export function listingIcon(size: number): string {
  return `icon-${size}.png`;
}

/** What this repository still lacks before the plugin can be submitted, as sentences; empty when nothing is missing. */
export function listingProblems(files: ListingFiles): string[] {
  const manifest = objectOf(readJson(nodePath.join(files.distDir, 'manifest.json')));
  return [
    ...iconProblems(files.listingDir),
    ...screenshotProblems(files.listingDir),
    ...textProblems(objectOf(readJson(nodePath.join(files.listingDir, 'listing.json'))), manifest),
    ...changelogProblems(files.changelog, String(manifest['version'])),
    ...languageProblems(files.english, nodePath.join(files.distDir, 'locales')),
    ...(files.isForDevelopment ? [] : originProblems(manifest)),
  ];
}

function iconProblems(folder: string): string[] {
  return LISTING_ICON_SIZES.flatMap((size) =>
    pictureProblems(folder, listingIcon(size), { width: size, height: size }, ICON_MAX_BYTES),
  );
}

function screenshotProblems(folder: string): string[] {
  const names = namesIn(folder).filter((name) => name.startsWith('screenshot-'));
  const problems = names.flatMap((name) =>
    pictureProblems(folder, name, SCREENSHOT, SCREENSHOTS.maxBytes),
  );
  if (names.length === 0) {
    problems.push('There is no screenshot: npm run screenshots makes them.');
  }
  if (names.length > SCREENSHOTS.most) {
    problems.push(`${names.length} screenshots are more than the ${SCREENSHOTS.most} allowed.`);
  }
  return problems;
}

function pictureProblems(
  folder: string,
  name: string,
  { width, height }: { readonly width: number; readonly height: number },
  maxBytes: number,
): string[] {
  const bytes = read(nodePath.join(folder, name));
  if (bytes === null) {
    return [`${name} is missing.`];
  }
  const size = pngSize(bytes);
  if (size === null) {
    return [`${name} is no PNG.`];
  }
  const problems: string[] = [];
  if (size.width !== width || size.height !== height) {
    problems.push(`${name} is ${size.width}×${size.height}, not ${width}×${height}.`);
  }
  if (bytes.length >= maxBytes) {
    problems.push(`${name} has ${bytes.length} bytes, too many.`);
  }
  return problems;
}

function textProblems(
  listing: Readonly<Record<string, unknown>>,
  manifest: Readonly<Record<string, unknown>>,
): string[] {
  const problems: string[] = [];
  const within = (what: string, text: unknown, most: number, least = 1): void => {
    if (typeof text !== 'string' || text.length < least) {
      problems.push(`The ${what} is missing or too short.`);
    } else if (text.length > most) {
      problems.push(`The ${what} has ${text.length} characters, ${most} are allowed.`);
    }
  };
  const version = String(manifest['version']);
  const { subtitle, description, releaseNotes, noteToReviewers } = listing;
  within('name', manifest['name'], 45, 3);
  within('subtitle', subtitle, LIMITS.subtitle);
  within('description', description, LIMITS.description);
  within('note to reviewers', noteToReviewers, LIMITS.note);
  within(`text of what is new in ${version}`, objectOf(releaseNotes)[version], LIMITS.releaseNotes);
  for (const text of [manifest['name'], subtitle]) {
    const [mark] = TRADEMARKS.exec(String(text)) ?? [];
    if (mark !== undefined) {
      problems.push(`"${String(text)}" uses "${mark}", which needs permission.`);
    }
  }
  const tags = textsOf(listing['tags']);
  if (tags.join(',').length > LIMITS.tags) {
    problems.push(`The tags have more than ${LIMITS.tags} characters.`);
  }
  const categories = textsOf(listing['categories']);
  if (categories.length === 0) {
    problems.push('The listing has no category.');
  }
  for (const category of categories) {
    if (!CATEGORIES.includes(category)) {
      problems.push(`There is no category "${category}".`);
    }
  }
  if (textsOf(listing['languages']).sort().join() !== [...LANGUAGES].sort().join()) {
    problems.push(
      `The listing must name the panel's languages: ${[...LANGUAGES].sort().join(', ')}.`,
    );
  }
  return problems;
}

function changelogProblems(changelog: string, version: string): string[] {
  const section = changelog
    .split(/^## /m)
    .slice(1)
    .find((text) => text.split(/\s/, 1)[0] === version);
  return section !== undefined && /^- \S/m.test(section)
    ? []
    : [`CHANGELOG.md has no section for ${version}.`];
}

function languageProblems(english: object, folder: string): string[] {
  const keys = [...leaves(english).keys()];
  return TRANSLATIONS.flatMap((language) => {
    const texts = leaves(readJson(nodePath.join(folder, `${language}.json`)));
    if (texts.size === 0) {
      return [`The texts in ${language} are missing.`];
    }
    return keys
      .filter((key) => !OWN_FORM.test(key) && isEmpty(texts.get(key)))
      .map((key) => `${language} has no text for ${key}.`);
  });
}

function originProblems(manifest: Readonly<Record<string, unknown>>): string[] {
  const { network } = objectOf(manifest['requiredPermissions']);
  const domains = textsOf(objectOf(network)['domains']);
  return domains.flatMap((domain) => {
    const url = parseHttpUrl(domain);
    if (url?.scheme === 'https' && !isLoopback(url)) {
      return [];
    }
    return [
      `The plugin is built for ${domain}, which a reviewer cannot reach: build with SERVICE_BASE_URL=https://…, ` +
        'the address of the service, or say --development to check the rest.',
    ];
  });
}

/** Every text of a JSON value by its path, such as `connect` or `failedCount.other`. */
function leaves(value: unknown, path = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) {
    return new Map(path === '' ? [] : [[path, value]]);
  }
  return new Map(
    Object.entries(value).flatMap(([key, inner]) => [
      ...leaves(inner, path === '' ? key : `${path}.${key}`),
    ]),
  );
}

function isEmpty(text: unknown): boolean {
  return text === undefined || text === null || text === '';
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? (value as unknown[]).map(String) : [];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function read(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

function readJson(path: string): unknown {
  const bytes = read(path);
  return bytes === null ? undefined : JSON.parse(bytes.toString('utf8'));
}
