/** The command line options of a run. */
export interface BenchOptions {
  /** How often each measurement is made. */
  readonly rounds: number;
  /** `small` for a quick trial whose figures mean nothing. */
  readonly scale: 'full' | 'small';
  /** Only rows whose name contains this, where a part has rows. Results then go to a separate file. */
  readonly only: string | undefined;
  /** An earlier commit: its plugin makes the compared uploads, or its service answers, in turn with this one's. */
  readonly against: string | undefined;
}
