/**
 * Resources that a test has started and must end, the last first. Each thing is added as soon as it runs, so that a
 * set-up that fails half-way leaves nothing behind that would keep the test runner from ending.
 */
export class CleanUp {
  readonly #steps: (() => Promise<unknown>)[] = [];

  /** Adds one step. */
  add(step: () => Promise<unknown>): void {
    this.#steps.push(step);
  }

  /** Takes every step, also after one has failed; then throws the first failure, if any. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.splice(0).reverse())
      await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
