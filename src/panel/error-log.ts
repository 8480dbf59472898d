import type { Clock } from '../util/clock.js';
import { CwError } from '../util/errors.js';
import type { PanelStores } from './view.js';

/** The details of an error that are stored for support: no sentence, no cause, no name of a file or a user. */
export interface LoggedError {
  /** Wall-clock time in milliseconds. */
  readonly at: number;
  readonly code: string;
  readonly status: number | null;
  /** The service's error word ([RFC 6749 §5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)). */
  readonly oauthError: string | null;
  /** The service's id of the request. */
  readonly requestId: string | null;
}

const MAX_KEPT = 10;

/** The last ten errors, the newest last. */
export class ErrorLog {
  private kept: readonly LoggedError[] = [];
  private readonly seen = new WeakSet<CwError>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  get entries(): readonly LoggedError[] {
    return this.kept;
  }

  /** Records an error once, however often it is reported. Ignores everything except {@link CwError}. */
  note(error: unknown): void {
    if (!(error instanceof CwError) || this.seen.has(error)) {
      return;
    }
    this.seen.add(error);
    const entry: LoggedError = {
      at: this.clock.now(),
      code: error.code,
      status: error.status ?? null,
      // Both came over the network: only plain words and ids are kept.
      oauthError: plain(error.oauthError, /^[a-z_]{1,40}$/),
      requestId: plain(error.requestId, /^[\w.-]{1,64}$/),
    };
    this.kept = [...this.kept, entry].slice(-MAX_KEPT);
  }

  /** Notes every error that the panel's stores show from now on. */
  watch({
    session,
    signIn,
    queue,
    uploadState,
    folder,
  }: Pick<PanelStores, 'session' | 'signIn' | 'queue' | 'uploadState' | 'folder'>): void {
    session.subscribe((state) => {
      if (state.kind === 'signed-in') {
        this.note(state.trouble);
      }
      if (state.kind === 'reconnect-needed') {
        this.note(state.error);
      }
    });
    signIn.subscribe((state) => {
      if (state.kind === 'ended') {
        this.note(state.error);
      }
      if (state.kind !== 'code') {
        return;
      }
      this.note(state.browserError);
      this.note(state.trouble);
    });
    queue.subscribe((state) => {
      if (state.kind === 'waiting') {
        this.note(state.error);
      }
    });
    folder?.subscribe((state) => {
      this.note(state.folder?.error);
    });
    uploadState.subscribe((state) => {
      this.note(state.storageError);
      this.note(state.documentError);
      for (const { error } of state.rejected) {
        this.note(error);
      }
    });
  }
}

function plain(text: string | undefined, form: RegExp): string | null {
  return text !== undefined && form.test(text) ? text : null;
}
