import { isJsonObject, parseJsonObject, textField, type JsonObject } from '../util/json.js';
import { Mutex } from '../util/mutex.js';
import { sanitizeDisplayName } from '../util/sanitize-display-name.js';
import { Observable, type ReadableObservable } from '../util/observable.js';
import type { SecretStore } from '../host/storage.js';
import { isFromService } from '../oauth/errors.js';
import type { Session } from '../oauth/session/session.js';
import { SECRET_KEYS } from '../oauth/session/session-codec.js';
import type { RequestQueue } from '../api/request-queue.js';

/** The connected account, as the service reports it, and the workspace that receives the photos. */
export interface Account {
  /** The display name, or the user name if there is none. */
  readonly name: string;
  readonly username: string;
  readonly workspace: { readonly id: string; readonly name: string };
  /** The scopes of the session; null when the service does not report them. */
  readonly scopes: readonly string[] | null;
}

export interface CurrentAccountOptions {
  readonly queue: Pick<RequestQueue, 'sendOutOfBand'>;
  readonly session: Pick<Session, 'state' | 'id'>;
  readonly secrets: SecretStore;
  /** Address of `GET /api/v1/me`. */
  readonly address: string;
  /** Receives the name that this computer has at the service, whenever the service reports one. */
  readonly onDeviceName?: (name: string) => void;
}

/** Longer names are ignored. UTF-16 code units. */
const LONGEST = 200;
const MAX_SCOPES = 50;
const SCOPE = /^[!#-[\]-~]{1,100}$/;

/**
 * Reads the account of the session: `GET /api/v1/me`, after a sign-in, once in each run, and after each refresh. If the
 * service has no such address, or the request fails, the panel shows no name and everything else works.
 *
 * The request after a refresh is always made, even when the account is known: the new access token in it confirms the
 * refresh to the service (`refresh_attempt`, docs/oauth.md). Any answer will do.
 *
 * The account is stored in secure storage, since it is personal, together with the id of its session.
 */
export class CurrentAccount {
  private readonly store = new Observable<Account | null>(null);
  private readonly storage = new Mutex();
  /** The session of the request; undefined before the first. */
  private sessionId: string | null | undefined;
  private finding: Promise<void> = Promise.resolve();
  private asking: Promise<void> | null = null;
  private isWanted = false;
  /** The service has no such address. In this run only refreshes still make the request. */
  private isAbsent = false;

  readonly state: ReadableObservable<Account | null> = this.store;

  constructor(private readonly options: CurrentAccountOptions) {}

  /**
   * Call when there is a session, perhaps a new one. Restores the stored account of this session, then requests it from
   * the service; once for each session. Settles when that is over. Never fails.
   */
  onSignedIn(): Promise<void> {
    const { id } = this.options.session;
    if (id !== this.sessionId) {
      this.sessionId = id;
      this.store.set(null);
      this.finding = this.find(id);
    }
    return this.finding;
  }

  private async find(id: string | null): Promise<void> {
    const kept = await this.read(id);
    if (kept && id === this.sessionId && this.store.get() === null) {
      this.store.set(kept);
    }
    if (!this.isAbsent) {
      await this.ask();
    }
  }

  /** Call when new tokens are in use: sends them to the service. Never fails. */
  onRefreshed(): Promise<void> {
    return this.ask();
  }

  /** Call when the session is over: removes the account. Never fails. */
  async clear(): Promise<void> {
    this.sessionId = undefined;
    this.store.set(null);
    await this.storage
      .run(() => this.options.secrets.remove(SECRET_KEYS.account))
      .catch(() => undefined);
  }

  /** Sends one request at a time. A call during a request repeats it afterwards: the tokens may be new by then. */
  private ask(): Promise<void> {
    this.isWanted = true;
    this.asking ??= this.askAll();
    return this.asking;
  }

  private async askAll(): Promise<void> {
    try {
      while (this.isWanted) {
        this.isWanted = false;
        await this.askOnce();
      }
    } finally {
      // At once: a call after the last check must start a new request.
      this.asking = null;
    }
  }

  private async askOnce(): Promise<void> {
    const { queue, session, address } = this.options;
    const { id } = session;
    if (session.state.get().kind !== 'signed-in') {
      return;
    }
    try {
      const response = await queue.sendOutOfBand({
        method: 'GET',
        url: address,
        headers: { Accept: 'application/json' },
      });
      const { status, text } = response;
      if (status === 404 && isFromService(response)) {
        this.isAbsent = true;
      }
      const body = status === 200 ? parseJsonObject(text) : null;
      const account = readAccount(body);
      if (body && account && id === this.sessionId && id === session.id) {
        const deviceName = nameIn(body, 'device_name');
        if (deviceName !== null) {
          this.options.onDeviceName?.(deviceName);
        }
        await this.keep(account, id);
      }
    } catch {
      // Without an answer the account stays as known: nothing depends on it.
    }
  }

  private async keep(account: Account, sessionId: string | null): Promise<void> {
    const text = writeAccount(account, sessionId);
    const known = this.store.get();
    if (known && writeAccount(known, sessionId) === text) {
      return;
    }
    this.store.set(account);
    await this.storage.run(async () => {
      if (sessionId === this.sessionId) {
        await this.options.secrets.set(SECRET_KEYS.account, text);
      }
    });
  }

  private async read(sessionId: string | null): Promise<Account | null> {
    const text = await this.options.secrets.get(SECRET_KEYS.account).catch(() => null);
    const body = text === null ? null : parseJsonObject(text);
    return body?.['version'] === 1 && textField(body, 'sessionId') === sessionId
      ? readAccount(body)
      : null;
  }
}

function writeAccount(
  { name, username, workspace, scopes }: Account,
  sessionId: string | null,
): string {
  return JSON.stringify({ version: 1, sessionId, account: { name, username }, workspace, scopes });
}

/** Reads the service's answer, or the stored text. Null when a needed field is missing or cannot be shown as a name. */
function readAccount(body: JsonObject | null): Account | null {
  const account = body?.['account'];
  const workspace = body?.['workspace'];
  if (!isJsonObject(account) || !isJsonObject(workspace)) {
    return null;
  }
  const username = nameIn(account, 'username');
  const id = nameIn(workspace, 'id');
  const workspaceName = nameIn(workspace, 'name');
  if (username === null || id === null || workspaceName === null) {
    return null;
  }
  const name = nameIn(account, 'name') ?? username;
  return {
    name,
    username,
    workspace: { id, name: workspaceName },
    scopes: readScopes(body?.['scopes']),
  };
}

/** Reads a list of scope tokens ([RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)); else null. */
function readScopes(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length > MAX_SCOPES) {
    return null;
  }
  const scopes = value.filter(
    (scope): scope is string => typeof scope === 'string' && SCOPE.test(scope),
  );
  return scopes.length === value.length ? scopes : null;
}

function nameIn(object: JsonObject, field: string): string | null {
  const text = textField(object, field);
  return text === null ? null : sanitizeDisplayName(text, LONGEST);
}
