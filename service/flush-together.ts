/**
 * Flushes the same thing for many at once. Whoever asks while a flush runs is served by the next one, with all the others
 * who ask meanwhile: the one that runs may have begun before there was anything to flush.
 */
export class FlushTogether {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(private readonly work: () => Promise<void>) {}

  /** Resolves when a flush has ended that began after this was asked. Fails as that flush does. */
  flush(): Promise<void> {
    if (this.running === undefined) {
      return this.start();
    }
    // However the one before ends.
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
