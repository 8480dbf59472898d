import {
  CancelSource,
  NEVER_CANCELLED,
  throwIfCancelled,
  type CancelSignal,
  orCancelled,
} from '../base/cancel.js';
import { CwError, isAboutSession, isTransient } from '../base/errors.js';
import { NOTHING_BEYOND, readCapabilities, type Capabilities } from './capabilities.js';
import type { RequestQueue } from './request-queue.js';
import { isRefusedByHost } from './transport.js';

export interface ServiceQuestionOptions {
  readonly queue: Pick<RequestQueue, 'send'>;
  /** Address of the upload collection. */
  readonly endpoint: string;
}

/** What those who ask what the service can do need of {@link ServiceQuestion}. */
export type CapabilitySource = Pick<ServiceQuestion, 'get' | 'doubt'>;

/** How often a service is asked that takes connections and never answers, or fails each time. */
const MOST_SILENT = 2;
/**
 * How often a service is asked that cannot be reached: for some minutes. After that, something on the way may stop this
 * question alone.
 */
const MOST_UNREACHED = 12;
/** How often a question that was answered is asked again in one run. */
const MOST_DOUBTS = 3;

/** What was answered; `isCertain` unless the question met trouble only. */
interface Answer {
  readonly can: Capabilities;
  readonly isCertain: boolean;
}

/**
 * What the service can do beyond tus 1.0.0: it is asked when that is first needed, once in each run, and again after an
 * answer that contradicts it. One question for all who want to know.
 *
 * A service that does not answer the question is taken to support creation alone. If that is wrong, it only costs time.
 * Trouble that passes is waited for as with any request, but not for ever: something on the way may stop this question
 * alone.
 */
export class ServiceQuestion {
  private known: Capabilities | null = null;
  private asking: { readonly answer: Promise<Answer>; readonly cancel: CancelSource } | null = null;
  private waiting = 0;
  private doubts = 0;

  constructor(private readonly options: ServiceQuestionOptions) {}

  /**
   * What the service can do.
   * @throws {CwError} CW-201, CW-202, CW-701 without a session
   * @throws {CancelledError}
   */
  async get(signal: CancelSignal = NEVER_CANCELLED): Promise<Capabilities> {
    throwIfCancelled(signal);
    if (this.known) {
      return this.known;
    }
    const asking = this.asking ?? this.start();
    this.waiting += 1;
    try {
      const { can } = await orCancelled(asking.answer, signal);
      return can;
    } finally {
      this.waiting -= 1;
      if (this.waiting === 0) {
        asking.cancel.cancel();
      }
    }
  }

  /** An answer contradicts what the service has said: it is asked again, but not for ever. */
  doubt(): void {
    if (this.known && this.doubts < MOST_DOUBTS) {
      this.doubts += 1;
      this.known = null;
    }
  }

  private start(): { readonly answer: Promise<Answer>; readonly cancel: CancelSource } {
    const cancel = new CancelSource();
    const asking = { answer: this.ask(cancel.signal), cancel };
    this.asking = asking;
    asking.answer
      .then(({ can, isCertain }) => {
        this.known = isCertain ? can : null;
      })
      .catch(() => undefined)
      .finally(() => {
        if (this.asking === asking) {
          this.asking = null;
        }
      });
    // Once the last caller has left, the next one asks anew.
    cancel.signal.onCancel(() => {
      if (this.asking === asking) {
        this.asking = null;
      }
    });
    return asking;
  }

  private async ask(signal: CancelSignal): Promise<Answer> {
    const { queue, endpoint } = this.options;
    let silent = 0;
    for (let tries = 1; ; tries += 1) {
      try {
        const response = await queue.send(
          { method: 'OPTIONS', url: endpoint, headers: {}, repeatable: false },
          signal,
        );
        return { can: readCapabilities((name) => response.header(name)), isCertain: true };
      } catch (error) {
        if (!(error instanceof CwError) || isAboutSession(error)) {
          throw error;
        }
        if (!isTransient(error) || isRefusedByHost(error)) {
          return { can: NOTHING_BEYOND, isCertain: true };
        }
        silent += isSilence(error) ? 1 : 0;
        if (silent >= MOST_SILENT || (error.code === 'CW-301' && tries >= MOST_UNREACHED)) {
          return { can: NOTHING_BEYOND, isCertain: false };
        }
      }
    }
  }
}

/**
 * Whether the service gave no answer to this question, or failed on it; not whether it is away or asks for patience.
 */
function isSilence({ code, status }: CwError): boolean {
  return code === 'CW-302' || status === 500 || status === 408 || status === 425;
}
