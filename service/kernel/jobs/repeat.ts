/**
 * Does something again and again.
 * @param firstMs when the first run begins, in milliseconds
 * @param work must not reject. Returns the time from its end to the next run, in milliseconds; undefined for no other run
 * @returns a function that ends this.
 */
export function repeat(firstMs: number, work: () => Promise<number | undefined>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const after = (ms: number): void => {
    timer = setTimeout(() => {
      void work().then((nextMs) => {
        if (nextMs !== undefined && !stopped) {
          after(nextMs);
        }
      });
    }, ms).unref();
  };
  after(firstMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
