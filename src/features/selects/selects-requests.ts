import type { RequestQueue } from '../../api/request-queue.js';
import { NEVER_CANCELLED, type CancelSignal } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { isJsonObject, parseJsonObject, textField, type JsonObject } from '../../util/json.js';

export interface RequestsOptions {
  readonly clock: Clock;
  readonly requests: Pick<RequestQueue, 'send'>;
  /** Address of the API, `{base_url}/api/v1`. */
  readonly api: string;
  /** Of the service, without a slash at its end. */
  readonly baseUrl: string;
}

/** How many pages of feedback are read, of up to 1,000 entries. */
const MAX_PAGES = 50;
const MAX_RECENT_PAGES = 5;
const MAX_ANSWER_LENGTH = 8 * 1024 * 1024;
/** Links are sorted by the answers of so many milliseconds. */
const RECENT_MS = 90 * 24 * 60 * 60_000;

/** What this feature requests from the service. */
export class SelectsRequests {
  constructor(private readonly options: RequestsOptions) {}

  /** The entries of `GET /feedback` about a link. @throws {CwError} @throws {CancelledError} */
  feedbackOf(link: string, signal: CancelSignal): Promise<readonly unknown[]> {
    return this.feedback(`link=${encodeURIComponent(link)}`, MAX_PAGES, signal);
  }

  /** The wall-clock times in milliseconds of the newest answers, by the ids of their links. @throws {CwError} */
  async answeredLinks(): Promise<ReadonlyMap<string, number>> {
    const since = new Date(this.options.clock.now() - RECENT_MS).toISOString();
    const entries = await this.feedback(`since=${since}`, MAX_RECENT_PAGES, NEVER_CANCELLED);
    const times = new Map<string, number>();
    for (const entry of entries) {
      const link = isJsonObject(entry) ? textField(entry, 'link') : null;
      const at = isJsonObject(entry) ? Date.parse(textField(entry, 'at') ?? '') : Number.NaN;
      if (link !== null && Number.isFinite(at)) {
        times.set(link, Math.max(at, times.get(link) ?? 0));
      }
    }
    return times;
  }

  /**
   * @param path  in the API
   * @param body  is posted; undefined for a GET
   * @returns the body of the answer; null for a 404
   * @throws {CwError}
   * @throws {CancelledError}
   */
  async send(
    path: string,
    body: object | undefined,
    signal: CancelSignal,
  ): Promise<JsonObject | null> {
    const { status, text } = await this.options.requests.send(
      {
        method: body ? 'POST' : 'GET',
        url: `${this.options.api}${path}`,
        headers: {
          Accept: 'application/json',
          ...(body && { 'Content-Type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        maxResponseLength: MAX_ANSWER_LENGTH,
        repeatable: true,
        expectedStatuses: [404],
        isAnswer: (response) => response.status === 404 || parseJsonObject(response.text) !== null,
      },
      signal,
    );
    return status === 404 ? null : parseJsonObject(text);
  }

  private async feedback(
    query: string,
    most: number,
    signal: CancelSignal,
  ): Promise<readonly unknown[]> {
    const entries: unknown[] = [];
    let path: string | null = `/feedback?${query}`;
    for (let page = 0; path !== null && page < most; page += 1) {
      const body: JsonObject | null = await this.send(path, undefined, signal);
      const listed: unknown = body?.['feedback'];
      entries.push(...(Array.isArray(listed) ? (listed as readonly unknown[]) : []));
      const next = body && textField(body, 'next');
      const { api, baseUrl } = this.options;
      path = next?.startsWith('/') === true ? (baseUrl + next).slice(api.length) : null;
    }
    return entries;
  }
}
