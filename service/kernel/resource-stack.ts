type Release = () => Promise<void> | void;

/** Resources that were acquired one after another. */
export class ResourceStack {
  private readonly releases: Release[] = [];

  /** Notes how the resource that was acquired last is released. */
  add(release: Release): void {
    this.releases.push(release);
  }

  /**
   * Releases all resources, the last one first: also those that come after one whose release fails.
   * @throws {unknown} the first failure, when all have been tried
   */
  async release(): Promise<void> {
    const failures: unknown[] = [];
    for (const release of this.releases.splice(0).reverse()) {
      try {
        await release();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) {
      throw failures[0];
    }
  }
}
