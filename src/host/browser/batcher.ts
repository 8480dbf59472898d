/**
 * Runs operations that are requested in the same turn of the event loop as one: a transaction for all costs about as much as one for each.
 */
export class Batcher<T, R> {
  private requested: {
    readonly operation: T;
    readonly settle: (result: Promise<R>) => void;
  }[] = [];

  /** @param runAll  runs all or none, and gives their results in the same order */
  constructor(private readonly runAll: (operations: readonly T[]) => Promise<readonly R[]>) {}

  /**
   * Runs an operation with the others. If they fail together, each runs alone, so that one cannot fail because of another.
   * @throws {unknown} what `runAll` throws for this operation alone
   */
  run(operation: T): Promise<R> {
    return new Promise((resolve) => {
      this.requested.push({ operation, settle: resolve });
      if (this.requested.length === 1) {
        queueMicrotask(() => {
          this.runRequested();
        });
      }
    });
  }

  private runRequested(): void {
    const { requested } = this;
    this.requested = [];
    const together = this.runAll(requested.map(({ operation }) => operation));
    for (const [index, { operation, settle }] of requested.entries()) {
      settle(
        together
          .catch((error: unknown) => {
            if (requested.length === 1) {
              throw error;
            }
            return this.runAll([operation]);
          })
          .then((results) => results[results.length === 1 ? 0 : index] as R),
      );
    }
  }
}
