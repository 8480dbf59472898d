/**
 * `npx tsx scripts/icons.ts`: draws the icons of the plugin and of its listing from one shape. Sizes and themes follow
 * the plugin icons guide: 23 px for panels, 24 px for the plugin list, each also at twice the size.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { LISTING_ICON_SIZES, listingIcon } from '../build/listing.js';
import { launchBrowser } from '../test/e2e/browser.js';

const LISTING = join(import.meta.dirname, '..', 'listing');
const FOLDER = join(import.meta.dirname, '..', 'src', 'static', 'icons');

/** The shape of all icons: an arrow that leads upwards out of a frame. */
const shape = (colour: string): string => `
  <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="${colour}"
    stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">
    <path d="M7 9.5 H5.2 A1.7 1.7 0 0 0 3.5 11.2 V18.8 A1.7 1.7 0 0 0 5.2 20.5 H18.8 A1.7 1.7 0 0 0 20.5 18.8 V11.2 A1.7 1.7 0 0 0 18.8 9.5 H17" />
    <path d="M12 15.5 V3.5 M8.6 6.6 L12 3.2 L15.4 6.6" />
  </svg>`;

/** Icons for dark themes are light, and those for light themes are dark. */
const COLOURS = { dark: '#d6d6d6', light: '#464646' } as const;
const SIZES = { panel: 23, 'plugin-list': 24 } as const;

/** In the listing the shape has its own background, so that it can be seen on light and on dark pages. */
const badge = `
  <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" style="position:absolute;inset:0">
    <defs><linearGradient id="ground" x1="0" y1="0" x2="0" y2="1">
      <stop offset="0" stop-color="#4b4f9e" /><stop offset="1" stop-color="#c2557a" />
    </linearGradient></defs>
    <rect x="1" y="1" width="46" height="46" rx="10" fill="url(#ground)" />
  </svg>
  <div style="position:absolute;inset:17%">${shape('#ffffff')}</div>`;

const browser = await launchBrowser();
try {
  await mkdir(FOLDER, { recursive: true });
  const page = await browser.newPage();
  for (const [use, size] of Object.entries(SIZES)) {
    for (const [theme, colour] of Object.entries(COLOURS)) {
      for (const scale of [1, 2]) {
        await page.setViewport({ width: size, height: size, deviceScaleFactor: scale });
        await page.setContent(`<body style="margin:0">${shape(colour)}</body>`);
        await page.screenshot({
          path: join(FOLDER, `${use}-${theme}@${scale}x.png`),
          omitBackground: true,
        });
      }
    }
  }
  await mkdir(LISTING, { recursive: true });
  for (const size of LISTING_ICON_SIZES) {
    await page.setViewport({ width: size, height: size, deviceScaleFactor: 1 });
    await page.setContent(`<body style="margin:0">${badge}</body>`);
    await page.screenshot({ path: join(LISTING, listingIcon(size)), omitBackground: true });
  }
} finally {
  await browser.close();
}
