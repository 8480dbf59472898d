import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ElementHandle, Page } from 'puppeteer-core';

const FOLDER = join(import.meta.dirname, '..', '..', '.cache', 'screenshots');

/**
 * Saves a picture of a page or of one element to the git-ignored folder `.cache/screenshots`.
 *
 * @param target the page, or an element of it (an iframe element gives the frame).
 * @param name file name without ending.
 * @returns the path of the PNG.
 */
export async function screenshot(target: Page | ElementHandle, name: string): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  const path = `${join(FOLDER, name)}.png` as const;
  await target.screenshot({ path });
  return path;
}
