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

/**
 * The rows that are wanted, by their names. Call it before anything is built or started.
 * @param names the names of all rows
 * @throws {NoSuchRow} when no name contains `only`
 */
export function wantedRows(
  names: readonly string[],
  only: string | undefined,
): ReadonlySet<string> {
  const wanted = names.filter((name) => only === undefined || name.includes(only));
  if (wanted.length === 0) {
    throw new NoSuchRow(only ?? '', names);
  }
  return new Set(wanted);
}

/** `--only` fits no row. Its message lists the rows. */
export class NoSuchRow extends Error {
  constructor(only: string, names: readonly string[]) {
    super(
      `no row contains "${only}". The rows are:\n${names.map((name) => `  ${name}`).join('\n')}`,
    );
    this.name = 'NoSuchRow';
  }
}
