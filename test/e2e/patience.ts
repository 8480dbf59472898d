/** Timeout for a browser, in milliseconds: far more than a busy machine needs. */
export const PATIENCE_MS = 120_000;

/** Repeats a check until it succeeds. @returns whether it did in time */
export async function becomes(ask: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    if (await ask()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
