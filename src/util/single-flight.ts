/**
 * Gives a function that starts `run` and returns at once. While `run` is under way, further calls do nothing. What
 * `run` throws, at once or later, goes to `onUnexpectedError`.
 */
export function singleFlight(
  run: () => void | Promise<void>,
  onUnexpectedError: (error: unknown) => void,
): () => void {
  let busy = false;
  return () => {
    if (busy) {
      return;
    }
    busy = true;
    void Promise.resolve()
      .then(run)
      .catch(onUnexpectedError)
      .then(() => {
        busy = false;
      });
  };
}
