import { closeSync, fsync, fsyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { FsyncBatcher } from '../fsync-batcher.js';

const fsyncSoon = promisify(fsync);

/**
 * The segment of the last request. PostgreSQL may close its own descriptor during a flush. There are two here because the
 * kernel reports a failure once to each: with one, only the first of two flushes would fail.
 */
interface Segment {
  readonly file: string;
  readonly background: number;
  readonly blocking: number;
}

/**
 * Flushes the journal of an embedded PostgreSQL, whose `fsync` only leaves a request here. So statements run while the
 * disk works, and one flush serves all that were committed before it. A statement is answered only after {@link flush}
 * has resolved, and another file changes only after {@link flushNow}.
 *
 * After a failed flush all calls fail. The kernel has dropped the pages, so a second flush would succeed wrongly.
 */
export class JournalFlush {
  private segment: Segment | undefined;
  private readonly replaced: Segment[] = [];
  private requests = 0;
  /** How many requests are done. */
  private done = 0;
  private failure: Error | undefined;
  private isFlushing = false;
  private readonly together = new FsyncBatcher(() => this.flushOnce());

  /** Requests that a segment is flushed. */
  request(file: string): void {
    if (this.segment?.file !== file) {
      this.flushNow();
      this.replace({ file, background: openSync(file, 'r+'), blocking: openSync(file, 'r+') });
    }
    this.requests += 1;
  }

  /** Resolves when all requests until now are done. */
  async flush(): Promise<void> {
    this.check();
    if (this.done < this.requests) {
      await this.together.flush();
    }
  }

  /** Flushes what was requested, and blocks until then. */
  flushNow(): void {
    this.check();
    if (this.segment === undefined || this.done === this.requests) {
      return;
    }
    try {
      fsyncSync(this.segment.blocking);
    } catch (error) {
      throw this.fail(error);
    }
    this.done = this.requests;
  }

  close(): void {
    this.flushNow();
    this.replace(undefined);
  }

  private async flushOnce(): Promise<void> {
    this.check();
    const upTo = this.requests;
    if (this.segment === undefined || this.done === upTo) {
      return;
    }
    this.isFlushing = true;
    try {
      await fsyncSoon(this.segment.background);
    } catch (error) {
      throw this.fail(error);
    } finally {
      this.isFlushing = false;
      this.closeReplaced();
    }
    this.check();
    this.done = Math.max(this.done, upTo);
  }

  private replace(segment: JournalFlush['segment']): void {
    if (this.segment !== undefined) {
      this.replaced.push(this.segment);
    }
    this.segment = segment;
    this.closeReplaced();
  }

  /** Not during a flush, which could then reach another file with the same descriptor. */
  private closeReplaced(): void {
    if (!this.isFlushing) {
      for (const { background, blocking } of this.replaced.splice(0)) {
        closeSync(background);
        closeSync(blocking);
      }
    }
  }

  private fail(cause: unknown): Error {
    this.failure ??= cause instanceof Error ? cause : new Error('a flush failed', { cause });
    return this.failure;
  }

  private check(): void {
    if (this.failure !== undefined) {
      throw this.failure;
    }
  }
}
