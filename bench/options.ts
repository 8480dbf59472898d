/** What the command line can say about a run. */
export interface BenchOptions {
  /** How often each measurement is made. */
  readonly rounds: number;
  /** `small` for a quick trial whose figures mean nothing. */
  readonly scale: 'full' | 'small';
  /** Only rows whose name contains this, where a part has rows. Results then go to a file of their own. */
  readonly only: string | undefined;
  /** An earlier commit: the compared uploads are made by its plugin too, in turn with this one's. */
  readonly against: string | undefined;
}
