import type { Clock } from '../util/clock.js';
import { CwError } from '../util/errors.js';
import type { Source } from '../ui/view.js';
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
    this.follow(session, (state) => [
      state.kind === 'signed-in' && state.trouble,
      state.kind === 'reconnect-needed' && state.error,
    ]);
    this.follow(signIn, (state) => [
      state.kind === 'ended' && state.error,
      ...(state.kind === 'code' ? [state.browserError, state.trouble] : []),
    ]);
    this.follow(queue, (state) => [state.kind === 'waiting' && state.error]);
    this.follow(folder, (state) => [state?.folder?.error]);
    this.follow(uploadState, ({ storageError, documentError, rejected, space }) => [
      storageError,
      space.kind === 'waiting' && space.error,
      documentError,
      ...rejected.map(({ error }) => error),
    ]);
  }

  private follow<T>(store: Source<T>, errorsOf: (value: T) => readonly unknown[]): void {
    store.subscribe?.(() => {
      for (const error of errorsOf(store.get())) {
        this.note(error);
      }
    });
  }
}

function plain(text: string | undefined, form: RegExp): string | null {
  return text !== undefined && form.test(text) ? text : null;
}
