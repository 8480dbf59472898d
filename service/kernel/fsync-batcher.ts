/**
 * Flushes the same thing, such as one folder, for many callers at once. All callers that ask while a flush runs share
 * the next one. The running flush is not enough for them: it may have begun before their changes.
 */
export class FsyncBatcher {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  /** @param work does one flush. */
  constructor(private readonly work: () => Promise<void>) {}

  /** Resolves when a flush has ended that began after this call. Rejects when that flush does. */
  flush(): Promise<void> {
    if (this.running === undefined) {
      return this.start();
    }
    // It starts even if the running flush fails.
    this.next ??= this.running.then(
      () => this.start(),
      () => this.start(),
    );
    return this.next;
  }

  private start(): Promise<void> {
    this.next = undefined;
    this.running = this.work().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }
}
