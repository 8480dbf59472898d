/** The task of a new process while its memory is measured. */
export type MemoryTask = {
  /** Of the service that takes the uploads. */
  readonly port: number;
  /** Where the plugin keeps its things; the same folder again is a restart. */
  readonly storageDir: string;
  /** Forces a collection before each measurement of the heap. */
  readonly collects: boolean;
} & (
  | { readonly kind: 'idle' }
  /** Queues one file and uploads it. */
  | { readonly kind: 'file'; readonly file: string }
  /** Queues files with uploads paused. */
  | { readonly kind: 'queue'; readonly files: readonly string[] }
  /** Restarts with the queue, and uploads some photos. */
  | { readonly kind: 'wait'; readonly upload: number }
);

export interface MemoryReport {
  /** The most resident memory of the process. Bytes. */
  readonly residentBytes: number;
  /** The most heap in use and buffers outside it, as last collected. Bytes; of use only with `collects`. */
  readonly heldBytes: number;
  readonly seconds: number;
}
