/** How long a browser may take for what it is waited for, in milliseconds: far more than anything takes on a busy machine. */
export const PATIENCE_MS = 120_000;

/** Asks again and again until the answer is yes. @returns whether it was so in time */
export async function becomes(ask: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end;) {
    if (await ask()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
