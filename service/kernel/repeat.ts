/**
 * Does something again and again, each time `everyMs` milliseconds after the last run has ended.
 * @param work must not reject.
 * @returns a function that ends this.
 */
export function repeat(everyMs: number, work: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const next = (): void => {
    timer = setTimeout(() => {
      void work().finally(() => {
        if (!stopped) {
          next();
        }
      });
    }, everyMs).unref();
  };
  next();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
