/**
 * An answer that a hook or the store gives by throwing it: the tus server reads `status_code` and `body`.
 * It is not always a failure, see the repeated creation in uploads.ts.
 */
export class TusError extends Error {
  override readonly name = 'TusAnswer';
  readonly status_code: number;
  readonly body: string;

  /** @param sentence the plain-text body; empty for none. */
  constructor(status: number, sentence: string) {
    super(sentence);
    this.status_code = status;
    this.body = sentence === '' ? '' : `${sentence}\n`;
  }
}
