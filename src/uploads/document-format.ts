import type { DocumentFormat, RecordStore } from '../host/host.js';

/** The key of the record; photos' keys are hexadecimal. */
const KEY = 'document-format';
const FORMATS: readonly DocumentFormat[] = ['jpg', 'png', 'psd', 'pdf'];

/** The format in which the open document was uploaded last, over restarts. */
export class DocumentFormatMemory {
  private chosen: DocumentFormat | null = null;

  constructor(private readonly records: Pick<RecordStore, 'put'>) {}

  /** Null before the first choice. */
  get format(): DocumentFormat | null {
    return this.chosen;
  }

  /** Takes up what an earlier run left. A choice of this run has priority. */
  restore(records: ReadonlyMap<string, string>): void {
    this.chosen ??= FORMATS.find((format) => format === records.get(KEY)) ?? null;
  }

  /** @throws {CwError} CW-702 or CW-703 when it cannot be stored; it then counts for this run */
  async remember(format: DocumentFormat): Promise<void> {
    this.chosen = format;
    await this.records.put(KEY, format);
  }
}
