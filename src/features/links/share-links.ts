import type { CurrentAccount } from '../../account/current-account.js';
import type { ApiRequest, RequestQueue } from '../../api/request-queue.js';
import { CwError } from '../../util/errors.js';
import {
  isJsonObject,
  numberField,
  parseJsonObject,
  textField,
  type JsonObject,
} from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { sanitizeDisplayName } from '../../util/sanitize-display-name.js';
import { isServiceId, readProjectRef, readTime, type ProjectRef } from '../../api/project.js';
import { lacksScope, SHARE_SCOPE, type ServiceAccess } from '../../account/service-access.js';

/** The target of a link: a project, or up to 1,000 uploads by their ids at the service. */
export type ShareTarget = { readonly project: string } | { readonly uploads: readonly string[] };

export interface ShareOptions {
  /** Days until the link expires. */
  readonly days: number;
  readonly password?: string;
}

/** A link that shows photos to everyone who has its address. */
export interface ShareLink {
  readonly id: string;
  /** On the service's own origin. */
  readonly url: string;
  /** Wall-clock times in milliseconds; null when the service does not report them. */
  readonly expires: number | null;
  readonly created: number | null;
  readonly hasPassword: boolean;
  readonly name: string;
  /** How many photos it shows; null when the service does not report it. */
  readonly photos: number | null;
  readonly project: ProjectRef | null;
}

export interface ShareLinksOptions {
  readonly requests: Pick<RequestQueue, 'send'>;
  /** Address of the links, `{base_url}/api/v1/shares`. */
  readonly endpoint: string;
  readonly account: Pick<CurrentAccount, 'state'>;
  /** Whether an address is on the service's own origin. */
  readonly isOwnAddress: (address: string) => boolean;
}

/** Longer names are not shown. UTF-16 code units. */
const MAX_NAME_LENGTH = 300;

/** The user's links at the service. */
export class ShareLinks {
  private readonly store = new Observable<ServiceAccess>('unknown');

  /** Whether links can be made. */
  readonly access: ReadableObservable<ServiceAccess> = this.store;

  constructor(private readonly options: ShareLinksOptions) {
    options.account.state.subscribe((account) => {
      const isReported = account?.scopes ?? null;
      this.store.set(
        isReported === null
          ? 'unknown'
          : lacksScope(account, SHARE_SCOPE)
            ? 'needs-permission'
            : 'ready',
      );
    });
  }

  /**
   * Makes a link. Not repeated after a lost answer: that could make a second one.
   * @throws {CwError} CW-203 without permission, CW-614 when the service refuses, or a transient error
   */
  async create(target: ShareTarget, { days, password }: ShareOptions): Promise<ShareLink> {
    const body = await this.request({
      method: 'POST',
      url: this.options.endpoint,
      headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...target, days, ...(password !== undefined && { password }) }),
      repeatable: false,
    });
    const link = this.read(body);
    if (!link) {
      throw new CwError('CW-305', 'the answer has no link');
    }
    return link;
  }

  /**
   * The user's own links, the newest first. For several uploads, those of the first one.
   * @param target  null for all links
   * @throws {CwError} CW-203 without permission, CW-614, or a transient error
   */
  async list(target: ShareTarget | null = null): Promise<readonly ShareLink[]> {
    const body = await this.request({
      method: 'GET',
      url: `${this.options.endpoint}${queryOf(target)}`,
      headers: { Accept: 'application/json' },
      repeatable: true,
    });
    const shares: unknown = body['shares'];
    if (!Array.isArray(shares)) {
      throw new CwError('CW-305', 'the answer lists no links');
    }
    return shares
      .flatMap((entry: unknown) => this.read(entry) ?? [])
      .sort((one, other) => (other.created ?? 0) - (one.created ?? 0));
  }

  /**
   * Ends a link. One that is gone is no error.
   * @throws {CwError} CW-203 without permission, CW-614, or a transient error
   */
  async revoke(id: string): Promise<void> {
    await this.request({
      method: 'DELETE',
      url: `${this.options.endpoint}/${encodeURIComponent(id)}`,
      headers: { Accept: 'application/json' },
      repeatable: true,
      expectedStatuses: [404],
    });
  }

  /** @returns the answer's body; an empty one for an answer without content */
  private async request(request: ApiRequest): Promise<JsonObject> {
    const isAnswer: NonNullable<ApiRequest['isAnswer']> = ({ status, text }) =>
      status === 204 || parseJsonObject(text) !== null;
    try {
      const { text } = await this.options.requests.send({ ...request, isAnswer });
      return parseJsonObject(text) ?? {};
    } catch (error) {
      if (!(error instanceof CwError)) {
        throw error;
      }
      const { code, status } = error;
      if (code === 'CW-203') {
        this.store.set('needs-permission');
      }
      const isAbsent = status === 404 || status === 405;
      if (code !== 'CW-603' || status === undefined) {
        throw error;
      }
      if (isAbsent && request.url === this.options.endpoint) {
        this.store.set('unsupported');
      }
      throw new CwError('CW-614', 'the service refused a link', { cause: error, status });
    }
  }

  /** Reads a link; null for one that cannot be used. */
  private read(entry: unknown): ShareLink | null {
    if (!isJsonObject(entry)) {
      return null;
    }
    const id = textField(entry, 'id');
    const url = textField(entry, 'url');
    if (id === null || !isServiceId(id) || url === null || !this.options.isOwnAddress(url)) {
      return null;
    }
    return {
      id,
      url,
      expires: readTime(entry['expires']),
      created: readTime(entry['created']),
      hasPassword: entry['has_password'] === true,
      name: sanitizeDisplayName(textField(entry, 'name') ?? '', MAX_NAME_LENGTH) ?? '',
      photos: numberField(entry, 'photos'),
      project: readProjectRef(entry['project']),
    };
  }
}

function queryOf(target: ShareTarget | null): string {
  if (!target) {
    return '';
  }
  return 'project' in target
    ? `?project=${encodeURIComponent(target.project)}`
    : `?upload=${encodeURIComponent(target.uploads[0] ?? '')}`;
}
