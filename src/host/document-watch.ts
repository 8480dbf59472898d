import type { Clock } from '../util/clock.js';
import type { OpenDocument, OpenDocumentPort } from './open-document.js';

/** Milliseconds between two looks. A look reads a few properties. */
const LOOK_EVERY_MS = 1_000;
/** Milliseconds between two looks after {@link QUIET_LOOKS} without a change. */
const LOOK_SELDOM_MS = 5_000;
const QUIET_LOOKS = 30;

/**
 * Polls the document in front while anyone listens. Apps have no event for a change of the content, or report it late.
 * Hosts do not report whether the panel is in sight, so a document at rest is looked at less often.
 */
export class DocumentWatch {
  private readonly listeners = new Set<() => void>();
  private stopTimer: () => void = () => undefined;
  private seen = '';
  /** Looks in a row without a change. */
  private quietLooks = 0;

  /** @param look  text that differs after a change. An app that does not answer is not polled again. */
  constructor(
    private readonly clock: Clock,
    private readonly look: () => string | Promise<string>,
  ) {}

  /** Calls `callback` after each change from now on. Returns what ends that. */
  onChange(callback: () => void): () => void {
    const listener = (): void => {
      callback();
    };
    this.listeners.add(listener);
    if (this.listeners.size === 1) {
      void this.start();
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) {
        this.stopTimer();
      }
    };
  }

  private async start(): Promise<void> {
    this.quietLooks = 0;
    this.seen = await this.lookNow();
    this.wait();
  }

  /** A failure counts as no document. */
  private async lookNow(): Promise<string> {
    try {
      return await this.look();
    } catch {
      return '';
    }
  }

  private wait(): void {
    this.stopTimer();
    if (this.listeners.size > 0) {
      const delay = this.quietLooks < QUIET_LOOKS ? LOOK_EVERY_MS : LOOK_SELDOM_MS;
      this.stopTimer = this.clock.startTimer(delay, () => {
        void this.compare();
      });
    }
  }

  private async compare(): Promise<void> {
    const now = await this.lookNow();
    const isChanged = now !== this.seen;
    this.seen = now;
    this.quietLooks = isChanged ? 0 : this.quietLooks + 1;
    this.wait();
    if (isChanged) {
      for (const listener of [...this.listeners]) {
        listener();
      }
    }
  }
}

/** `find` for an app that gives only the document in front. */
export async function findInFront(
  current: OpenDocumentPort['current'],
  key: string,
): Promise<OpenDocument | null> {
  const document = await current();
  return document?.key === key ? document : null;
}
