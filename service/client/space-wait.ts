/** Between a refusal and the next try, in milliseconds. */
const TRY_AGAIN_MS = 60_000;

/** Holds files back while the service has no space for them. One is tried every minute; all continue once one is accepted. */
export class SpaceWait<T> {
  private why: string | undefined;
  private tried: T | undefined;
  /** Whether a file may be tried. */
  private isDue = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param start starts the files that may run */
  constructor(private readonly start: () => void) {}

  /** Why there is no space, as a sentence; undefined while there is. */
  get reason(): string | undefined {
    return this.why;
  }

  /** How many files may run at the same time. @param most while there is space */
  atOnce(most: number): number {
    return this.why === undefined ? most : this.isDue ? 1 : 0;
  }

  /** Call when a file begins to run. */
  begin(file: T): void {
    if (this.why !== undefined) {
      this.tried = file;
    }
  }

  /** Call when there was no space for a file. */
  refuse(reason: string): void {
    this.why = reason;
    this.tried = undefined;
    this.isDue = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.tryNow();
    }, TRY_AGAIN_MS);
  }

  /** Call when the service has accepted a file, or bytes of it. Of files from before the refusal that proves nothing. */
  accept(file: T): void {
    if (file === this.tried) {
      this.end();
      this.start();
    }
  }

  /** Lets one file be tried at once. */
  tryNow(): void {
    this.isDue = true;
    this.start();
  }

  /** Call when no file waits any more. */
  end(): void {
    this.why = undefined;
    this.tried = undefined;
    clearTimeout(this.timer);
  }
}
