import {
  CancelSource,
  NEVER_CANCELLED,
  throwIfCancelled,
  type CancelSignal,
  orCancelled,
} from '../util/cancel.js';
import { CwError, isAboutSession, isTransient } from '../util/errors.js';
import {
  isAboutTus,
  BASIC_CAPABILITIES,
  readCapabilities,
  type Capabilities,
} from './capabilities.js';
import type { RequestQueue } from './request-queue.js';
import { isRefusedByHost } from './transport.js';

export interface CapabilityProbeOptions {
  readonly queue: Pick<RequestQueue, 'send'>;
  /** Address of the upload collection. */
  readonly endpoint: string;
}

/** The part of {@link CapabilityProbe} that callers need. */
export type CapabilitySource = Pick<CapabilityProbe, 'get' | 'invalidate'>;

/** The probe stops after this many attempts that the service left unanswered or failed on. */
const MAX_SILENT = 2;
/**
 * The probe stops after this many attempts, some minutes, if the service is unreachable or a proxy responds in its
 * place: the proxy may block OPTIONS alone.
 */
const MAX_UNREACHED = 12;
/** How often an answered request may be repeated in one run. */
const MAX_DOUBTS = 3;

/** The answer, or the assumed one. `isCertain` is false when the probe stopped after errors. */
interface Answer {
  readonly can: Capabilities;
  readonly isCertain: boolean;
}

/**
 * Requests the service's capabilities beyond tus 1.0.0: when they are first needed, once in each run, and again after
 * an answer that contradicts them. All callers share one request.
 *
 * If `OPTIONS` is not answered, only `creation` is assumed. A wrong assumption only costs time. Transient errors are
 * retried for a few minutes, since a proxy may block OPTIONS alone.
 */
export class CapabilityProbe {
  private known: Capabilities | null = null;
  private asking: { readonly answer: Promise<Answer>; readonly cancel: CancelSource } | null = null;
  private waiting = 0;
  private doubts = 0;
  /** How many responses in a row, over all questions, were not the service's. */
  private interceptions = 0;

  constructor(private readonly options: CapabilityProbeOptions) {}

  /**
   * The service's capabilities. The request is cancelled once no caller waits for it.
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

  /** Call when an answer contradicts the capabilities: the next `get` requests them again, a few times in a run. */
  invalidate(): void {
    if (this.known && this.doubts < MAX_DOUBTS) {
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
    // Once the last caller has left, the next one starts a new request.
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
          {
            method: 'OPTIONS',
            url: endpoint,
            headers: {},
            repeatable: false,
            isAnswer: isAboutTus,
          },
          signal,
        );
        this.interceptions = 0;
        return { can: readCapabilities((name) => response.header(name)), isCertain: true };
      } catch (error) {
        if (!(error instanceof CwError) || isAboutSession(error)) {
          throw error;
        }
        if (!isTransient(error) || isRefusedByHost(error)) {
          return { can: BASIC_CAPABILITIES, isCertain: true };
        }
        silent += isSilence(error) ? 1 : 0;
        this.interceptions += error.isIntercepted ? 1 : 0;
        const isUnreached = error.code === 'CW-301' && tries >= MAX_UNREACHED;
        if (silent >= MAX_SILENT || isUnreached || this.interceptions >= MAX_UNREACHED) {
          return { can: BASIC_CAPABILITIES, isCertain: false };
        }
      }
    }
  }
}

/**
 * Whether the service left this request unanswered or failed on it. A gateway that responds to OPTIONS in its place
 * (204) counts too. False when the service is unreachable or requires a delay, since any other request would fail in
 * the same way.
 */
function isSilence({ code, status }: CwError): boolean {
  return code === 'CW-302' || [204, 408, 425, 500].includes(status ?? 0);
}
