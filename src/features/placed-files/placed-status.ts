import type { CurrentAccount } from '../../account/current-account.js';
import type { Owner } from '../../account/owner.js';
import { Polling } from '../../account/polling.js';
import type { RequestQueue } from '../../api/request-queue.js';
import type { CapabilitySource } from '../../api/tus-capabilities.js';
import type { PlacedFile, PlacedFiles, PlacedIdentity } from '../../host/placed-files.js';
import type { RecordStore } from '../../host/storage.js';
import type { CancelSignal } from '../../util/cancel.js';
import type { Clock } from '../../util/clock.js';
import { toCwError, type CwError } from '../../util/errors.js';
import { isJsonObject, numberField, parseJsonObject, textField } from '../../util/json.js';
import { Observable, type ReadableObservable } from '../../util/observable.js';
import { readAnswer, writeAnswer, type StatusAnswer } from './file-status.js';
import type { FileFacts } from '../selects/index.js';
import type { LinkedFiles } from './linked-files.js';
import { localOf, rowsOf, type PlacedRow } from './placed-row.js';

/** The files of the workspace that are placed in the document in front. */
export interface PlacedStatusState {
  readonly rows: readonly PlacedRow[];
  /** Files that were placed by other means, and not recognised. */
  readonly others: readonly OtherFile[];
  /** Wall-clock time of the last answer of the service, in milliseconds; null before one. */
  readonly checkedAt: number | null;
  readonly isChecking: boolean;
  /** The service did not answer: the rows are as of `checkedAt`. */
  readonly isAway: boolean;
  /** The service requires another permission of the user. */
  readonly needsPermission: boolean;
  /** The app did not give the links. */
  readonly error: CwError | null;
}

/** A file of which the document has no identity. */
export interface OtherFile {
  /** Of the link. */
  readonly key: string;
  readonly name: string;
  /** Whether its bytes are known: it is not in the workspace then, as far as the user sees it. */
  readonly isRead: boolean;
  /** As in {@link PlacedRow}. What is not present is not read: it may differ from what the document shows. */
  readonly local: PlacedRow['local'];
}

export interface PlacedStatusOptions {
  readonly linked: Pick<LinkedFiles, 'factsOf' | 'keepUploads'>;
  /** Null in an app without such an interface. */
  readonly host: Pick<PlacedFiles, 'list'> | null;
  readonly requests: Pick<RequestQueue, 'sendOutOfBand'>;
  readonly capabilities: Pick<CapabilitySource, 'get'>;
  /** Address of the status of files. */
  readonly endpoint: string;
  /** Of the service. */
  readonly origin: string;
  readonly owner: Pick<ReadableObservable<Owner | null>, 'get'>;
  readonly account: Pick<CurrentAccount, 'state'>;
  readonly clock: Clock;
  readonly records: Pick<RecordStore, 'put'>;
}

interface Front {
  readonly key: string;
  readonly documentId: string | null;
}

/** One request with its answer. */
interface Part {
  /** As JSON. */
  readonly links: readonly string[];
  readonly revision: string;
  /** In the order of the links. Null for one that cannot be used. */
  readonly answers: readonly (StatusAnswer | null)[];
}

/** What came of a look. */
type Outcome = 'answered' | 'away' | 'refused' | 'lacks permission';

/** What the service said about a document. */
interface Known {
  /** A key of the account that got the answers. */
  readonly owner: string;
  readonly at: number;
  readonly parts: readonly Part[];
}

/** Milliseconds between two looks while a document is open. */
const REFRESH_MS = 5 * 60_000;
/** How many links the service takes in one request. */
const MAX_LINKS = 500;
const MAX_ANSWER_LENGTH = 2 * 1024 * 1024;
const PREFIX = 'placed-status:';
/** For how many documents answers are kept. */
const MAX_DOCUMENTS = 20;
/** An unchanged answer is stored again after this time, in milliseconds, so that its date is about right. */
const STORE_MS = 30 * 60_000;

const NOTHING: PlacedStatusState = {
  rows: [],
  others: [],
  checkedAt: null,
  isChecking: false,
  isAway: false,
  needsPermission: false,
  error: null,
};

/** Follows which placed files of the document in front have a newer version. */
export class PlacedStatus {
  private readonly store = new Observable(NOTHING);
  private readonly polling: Polling;
  private front: Front | null = null;
  private links: readonly PlacedFile[] = [];
  /** What is known about files without an identity, by their paths. */
  private facts: ReadonlyMap<string, FileFacts> = new Map();
  private known: Known | null = null;
  /** By the address of each link, for `known`. */
  private answers = new Map<string, StatusAnswer | null>();
  /** What is in storage, by the keys of records; the one written last at the end. */
  private readonly kept = new Map<string, Known>();
  private isRestored = false;

  readonly state: ReadableObservable<PlacedStatusState> = this.store;

  constructor(private readonly options: PlacedStatusOptions) {
    const { clock, account } = options;
    this.polling = new Polling({
      clock,
      account,
      everyMs: REFRESH_MS,
      load: (signal) => {
        const { front } = this;
        return options.host && front ? this.load(options.host, front, signal) : null;
      },
    });
    account.state.subscribe(() => {
      this.show({});
    });
  }

  restore(records: ReadonlyMap<string, string>): void {
    this.isRestored = true;
    const found = [...records].flatMap(([key, text]) => {
      const known = key.startsWith(PREFIX) && !this.kept.has(key) ? readKnown(text) : null;
      return known ? [[key, known] as const] : [];
    });
    for (const [key, known] of found.sort(([, one], [, other]) => one.at - other.at)) {
      this.kept.set(key, known);
    }
    if (!this.known) {
      this.recall();
    }
  }

  /** Begins to look. To be called when there is a session. */
  start(): void {
    this.polling.start();
  }

  /** Ends that. */
  stop(): void {
    this.polling.stop();
    this.show({ isAway: false, needsPermission: false });
  }

  /** Call with the document in front. */
  setFront(front: Front | null): void {
    const isOther = front?.key !== this.front?.key || front?.documentId !== this.front?.documentId;
    this.front = front;
    if (isOther) {
      this.links = [];
      this.facts = new Map();
      this.store.set(NOTHING);
      this.recall();
      this.polling.now();
    }
  }

  /** The links of the document in front, as of the last look. */
  files(): readonly PlacedFile[] {
    return this.links;
  }

  /** Looks now. Returns at once. */
  check(): void {
    this.polling.now();
  }

  /** @returns false when the service refuses */
  private async load(
    host: Pick<PlacedFiles, 'list'>,
    front: Front,
    signal: CancelSignal,
  ): Promise<boolean> {
    this.show({ isChecking: true, needsPermission: false });
    let error: CwError | null = null;
    let outcome: Outcome = 'answered';
    try {
      const files = await host.list(front.key);
      const facts = await this.options.linked.factsOf(files);
      if (!signal.cancelled) {
        this.links = files;
        this.facts = facts;
        outcome = await this.request(this.questions(), front, signal);
      }
    } catch (thrown) {
      error = toCwError(thrown, 'CW-815', 'the app did not give the placed files');
    }
    // A later look shows its outcome itself.
    if (!signal.cancelled) {
      const needsPermission = outcome === 'lacks permission';
      this.show({ error, isChecking: false, isAway: outcome === 'away', needsPermission });
    }
    return outcome === 'answered' || outcome === 'away';
  }

  private async request(
    links: readonly string[],
    front: Front,
    signal: CancelSignal,
  ): Promise<Outcome> {
    const { owner, clock, capabilities } = this.options;
    const key = owner.get()?.keys[0];
    const parts: Part[] = [];
    if (links.length === 0) {
      return 'answered';
    }
    this.show({});
    try {
      if (!(await capabilities.get(signal)).photoVersions) {
        return 'refused';
      }
      for (let start = 0; start < links.length; start += MAX_LINKS) {
        const part = await this.requestPart(links.slice(start, start + MAX_LINKS), signal);
        if (typeof part === 'string') {
          return part;
        }
        parts.push(part);
      }
    } catch {
      // The last answers stay, with their date.
      return 'away';
    }
    if (key !== undefined && !signal.cancelled) {
      this.use({ owner: key, at: clock.now(), parts });
      // Both begin with what the user sees: an upload that begins now names the recognised files.
      await Promise.all([this.options.linked.keepUploads(this.recognised()), this.keep(front)]);
    }
    return 'answered';
  }

  private async requestPart(
    links: readonly string[],
    signal: CancelSignal,
  ): Promise<Part | Exclude<Outcome, 'answered'>> {
    const { requests, endpoint } = this.options;
    const before = this.own()?.parts.find((part) => part.links.join() === links.join());
    const revision = before && `,"revision":${JSON.stringify(before.revision)}`;
    const { status, text } = await requests.sendOutOfBand(
      {
        method: 'POST',
        url: endpoint,
        headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
        body: `{"links":[${links.join()}]${revision ?? ''}}`,
        maxResponseLength: MAX_ANSWER_LENGTH,
      },
      signal,
    );
    const body = parseJsonObject(text) ?? {};
    if ([403, 404, 405].includes(status)) {
      return body['error'] === 'insufficient_scope' ? 'lacks permission' : 'refused';
    }
    const given = textField(body, 'revision') ?? '';
    const answers: unknown = body['links'];
    if (status !== 200 || !/^[\w-]{1,64}$/.test(given)) {
      return 'away';
    }
    if (Array.isArray(answers) && answers.length === links.length) {
      return { links, revision: given, answers: answers.map(readAnswer) };
    }
    return answers === undefined && before?.revision === given ? before : 'away';
  }

  /** Shows answers of an earlier look or run. */
  private recall(): void {
    const known = this.kept.get(PREFIX + (this.front?.documentId ?? '')) ?? null;
    this.known = null;
    this.answers = new Map();
    if (known && this.front?.documentId) {
      this.use(known);
    }
  }

  private use(known: Known): void {
    this.known = known;
    this.answers = new Map();
    for (const { links, answers } of known.parts) {
      for (const [index, link] of links.entries()) {
        this.answers.set(link, answers[index] ?? null);
      }
    }
    this.show({});
  }

  private async keep({ documentId }: Front): Promise<void> {
    const { known } = this;
    if (documentId === null || !known || !this.isRestored) {
      return;
    }
    const key = PREFIX + documentId;
    const before = this.kept.get(key);
    const isSame =
      before?.owner === known.owner &&
      before.parts.length === known.parts.length &&
      before.parts.every(
        ({ links, revision }, index) =>
          known.parts[index]?.links.join() === links.join() &&
          known.parts[index].revision === revision,
      );
    if (isSame && known.at - before.at < STORE_MS) {
      return;
    }
    this.kept.delete(key);
    this.kept.set(key, known);
    const gone = [...this.kept.keys()].slice(0, -MAX_DOCUMENTS);
    for (const old of gone) {
      this.kept.delete(old);
    }
    // Without storage, another run reads them again.
    await this.options.records.put(key, writeKnown(known), ...gone).catch(() => undefined);
  }

  /** What is known, if the account that is connected now got it. */
  private own(): Known | null {
    const keys: readonly string[] = this.options.owner.get()?.keys ?? [];
    return this.known && keys.includes(this.known.owner) ? this.known : null;
  }

  private show(change: Partial<PlacedStatusState>): void {
    const own = this.own();
    const about = (file: PlacedFile): StatusAnswer | null =>
      own ? this.answerAbout(this.factsAbout(file)) : null;
    this.store.set({
      ...this.store.get(),
      ...change,
      checkedAt: own?.at ?? null,
      rows: rowsOf(this.links, this.options.origin, {
        to: (identity) => (own ? (this.answers.get(linkOf(identity)) ?? null) : null),
        about,
      }),
      others: this.links
        // What is embedded is no file any more: apps make such objects of layers, too.
        .filter(
          (file) => file.identity === null && file.state !== 'embedded' && about(file) === null,
        )
        .map((file) => ({
          key: file.key,
          name: file.name,
          isRead: this.factsAbout(file) !== null,
          local: localOf(file.state),
        })),
    });
  }

  /** The different links of the document to the service, as JSON. */
  private questions(): readonly string[] {
    const links = this.links.flatMap((file): readonly string[] => {
      const { identity } = file;
      if (identity) {
        return identity.origin === this.options.origin ? [linkOf(identity)] : [];
      }
      const facts = this.factsAbout(file);
      return facts ? linksTo(facts) : [];
    });
    return [...new Set(links)];
  }

  /** The uploads that have the bytes of files without an identity, by the paths of those. */
  private recognised(): ReadonlyMap<string, string | null> {
    return new Map(
      [...this.facts].map(([path, facts]) => [path, this.answerAbout(facts)?.placed?.id ?? null]),
    );
  }

  private factsAbout({ identity, path }: PlacedFile): FileFacts | null {
    return identity === null && path !== null ? (this.facts.get(path) ?? null) : null;
  }

  /** The first answer that leads to a file: that about its bytes, then those about its document. */
  private answerAbout(facts: FileFacts | null): StatusAnswer | null {
    for (const link of facts ? linksTo(facts) : []) {
      const answer = this.answers.get(link);
      if (answer && answer.status.kind !== 'unknown') {
        return answer;
      }
    }
    return null;
  }
}

/** As the service takes it. */
function linkOf({ uploadId, sha256 }: PlacedIdentity): string {
  return JSON.stringify({ id: uploadId, sha256 });
}

/** How many documents of one file are looked up: its own, and those that it was made from. */
const MAX_DOCUMENTS_OF_FILE = 3;

/** What may lead from a file without an identity to one of the workspace. */
function linksTo({ sha256, documents: [first, ...others] }: FileFacts): readonly string[] {
  return [
    JSON.stringify({ sha256, ...(first !== undefined && { document: first }) }),
    ...others.slice(0, MAX_DOCUMENTS_OF_FILE - 1).map((document) => JSON.stringify({ document })),
  ];
}

function readKnown(text: string): Known | null {
  const value = parseJsonObject(text) ?? {};
  const owner = textField(value, 'owner');
  const at = numberField(value, 'at');
  const { parts } = value;
  if (owner === null || at === null || !Array.isArray(parts)) {
    return null;
  }
  const read = parts.flatMap((part: unknown): readonly Part[] => {
    const { links, revision, answers } = isJsonObject(part) ? part : {};
    return isTexts(links) && typeof revision === 'string' && Array.isArray(answers)
      ? [{ links, revision, answers: answers.map(readAnswer) }]
      : [];
  });
  return { owner, at, parts: read };
}

function writeKnown({ parts, ...known }: Known): string {
  return JSON.stringify({
    ...known,
    parts: parts.map((part) => ({ ...part, answers: part.answers.map(writeAnswer) })),
  });
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
