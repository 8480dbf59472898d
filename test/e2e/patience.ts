/** Timeout for a browser, in milliseconds: far more than a busy machine needs. */
export const PATIENCE_MS = 120_000;

/** How often a page is looked at, in milliseconds: at each frame, which Puppeteer would do, costs most of the time. */
export const POLLING_MS = 50;

/** Repeats a check until it succeeds. @returns whether it did in time */
export async function becomes(ask: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    if (await ask()) return true;
    await new Promise((resolve) => setTimeout(resolve, POLLING_MS));
  }
  return false;
}
