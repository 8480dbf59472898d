import { ownerOf, type Owner } from '../../src/account/owner.js';
import type { Account as ReportedAccount } from '../../src/account/current-account.js';
import type { Capabilities } from '../../src/api/capabilities.js';
import { RequestQueue } from '../../src/api/request-queue.js';
import { randomId } from '../../src/util/random-id.js';
import { Observable } from '../../src/util/observable.js';
import type { FolderPort } from '../../src/host/folders.js';
import type { Host } from '../../src/host/host.js';
import type { PhotoSource } from '../../src/host/photo-source.js';
import type { UploadReceipt } from '../../src/features/queue/upload-receipt.js';
import { FolderWatch } from '../../src/features/folder/folder-watch.js';
import { inspectFile } from '../../src/features/pictures/inspect-file.js';
import {
  UploadHistory,
  type UploadHistoryOptions,
} from '../../src/features/history/upload-history.js';
import type { ProjectRef } from '../../src/api/project.js';
import type { PhotoRecord } from '../../src/features/queue/photo-record.js';
import { PhotoStore } from '../../src/features/queue/photo-store.js';
import type { UploadItem } from '../../src/features/queue/upload-item.js';
import {
  UploadManager,
  type UploadManagerOptions,
} from '../../src/features/uploads/upload-manager.js';
import { UploadQueue } from '../../src/features/queue/upload-queue.js';
import { signedInSession, testClient } from '../api/signed-in.js';
import { Conversation, type PendingExchange } from '../support/conversation.js';
import { FINDS_AGAIN, knownToDo } from '../support/capabilities.js';
import { FakeClock } from '../support/fake-clock.js';
import { memoryPhoto, memoryRecords, memorySpool, MemoryStorage } from '../support/memory-host.js';
import { seededBytes } from '../support/seeded-random.js';
import { ModelService } from './uploads/model-service.js';

const BASE = 'https://service.example';
/** The capabilities of a service with duplicate checks. */
const WITH_KNOWN_UPLOADS = { ...FINDS_AGAIN, knownUploads: true };
export const ENDPOINT = `${BASE}/api/v1/uploads`;
export const CONCURRENCY = 2;
export const ACCOUNTS = ['anna', 'ben'] as const;
export type Account = (typeof ACCOUNTS)[number];

interface StartOptions {
  /** Without anything known about a session. */
  readonly signedOut?: boolean;
  /** Whether the list of an earlier run is brought back at once. */
  readonly restores?: boolean;
  /** How many photos may be under way. */
  readonly concurrency?: number;
  /** How many small photos may be under way. */
  readonly smallConcurrency?: number;
  /** Whether copies are read from disk while they are sent. */
  readonly isStreamed?: boolean;
}

/** Records the uploaded photos, and stores them if `remembers` is set. */
class NotedHistory extends UploadHistory {
  constructor(
    private readonly fixture: UploadFixture,
    options: UploadHistoryOptions,
  ) {
    super(options);
  }

  override add(record: PhotoRecord, receipt: UploadReceipt): void {
    // The record must still exist: the history is written before the photo is deleted.
    if (!this.fixture.openPorts && !this.fixture.storage.records.has(record.id))
      throw new Error(`${record.name} is gone already`);
    this.fixture.delivered.push({ ...receipt, name: record.name });
    if (this.fixture.remembers) super.add(record, receipt);
  }
}

/** The plugin's uploads over a storage that outlives them, a network the test converses over, and a service. */
export class UploadFixture {
  readonly clock = new FakeClock();
  readonly storage = new MemoryStorage();
  readonly service: ModelService;
  network = new Conversation();
  private connected: Account | null = 'anna';
  /** How many sessions there have been: each sign-in begins another one. */
  private sessions = 1;
  /** The problem of a file; none by default, since photos are texts here. */
  detectProblem: UploadManagerOptions['detectProblem'] = () => null;
  /** Whether the service reports the account. Default false. */
  reports = false;
  /** Whether it leaves that unanswered for now; see {@link report}. */
  isSilent = false;
  /** Ids of photos by those of their uploads, where they differ. */
  private readonly photoIds = new Map<string, string>();
  private readonly reported = new Observable<ReportedAccount | null>(null);
  private reportedSession = 0;
  /** Whether the service supports duplicate checks. Default false; set it before a start. */
  hasKnownUploads = false;
  /** Further capabilities of the service. */
  more: Partial<Capabilities> = {};
  /** The project that the user has chosen for new photos. */
  project: ProjectRef | null = null;
  /** Whether to check duplicates although the service does not announce that. */
  asksInVain = false;
  /** Opens a picked file of an earlier run by its token. */
  reopenPhoto: (token: string) => PhotoSource | null = () => null;
  /** Whether uploaded photos go into the history. Default false; set it before a start. */
  remembers = false;
  /** The service's page of uploads; null for none. */
  isOwnAddress: (address: string) => boolean = (address) => address.startsWith(`${BASE}/`);
  /** Photos that were taken off the list; nothing of them may be sent any more. */
  readonly removed = new Set<string>();
  readonly sentThoughRemoved: string[] = [];
  /** Uploads deleted at the service although they can be restored. */
  readonly droppedThoughKept: string[] = [];
  /** The receipts of uploaded photos, with their names. */
  readonly delivered: (UploadReceipt & { readonly name: string })[] = [];
  /** Opens a host's storage for each start, in place of `storage`. */
  openPorts: (() => Pick<Host, 'records' | 'spool'>) | null = null;
  /** Folders that can be watched; null for a host without them. */
  folders: FolderPort | null = null;
  private parts: {
    folder: FolderWatch;
    photoStore: PhotoStore;
    list: UploadQueue;
    uploader: UploadManager;
    history: UploadHistory;
  } | null = null;
  private runs = 0;

  /** @param can  capabilities of the service: this one, or only creation */
  constructor(private readonly can: Capabilities = FINDS_AGAIN) {
    this.service = new ModelService(ENDPOINT, can.clientUploadId);
  }

  /** The connected account; null for none. Setting an account begins a session. */
  get account(): Account | null {
    return this.connected;
  }

  set account(account: Account | null) {
    if (account !== null) this.sessions += 1;
    this.connected = account;
  }

  /** The service reports the account, in the end. */
  report(): void {
    const { account } = this;
    this.reported.set(
      account && {
        name: account,
        username: account,
        workspace: { id: 'w1', name: 'Studio' },
        scopes: null,
      },
    );
  }

  /** The id of the photo that a request is about; null for requests about none. */
  photoOf(exchange: PendingExchange): string | null {
    const id = this.service.photoOf(exchange);
    if (id === null || this.list.get(id)) return id;
    const item = this.unsent.find(({ record }) => record.id === id);
    if (item) this.photoIds.set(id, item.record.id);
    return this.photoIds.get(id) ?? id;
  }

  private async askWho(): Promise<void> {
    if (this.reportedSession !== this.sessions) {
      this.reportedSession = this.sessions;
      this.reported.set(null);
    }
    if (this.reports && this.isSilent) await new Promise(() => undefined);
    if (this.reports) this.report();
  }

  get photoStore(): PhotoStore {
    if (!this.parts) throw new Error('not started');
    return this.parts.photoStore;
  }

  get folder(): FolderWatch {
    if (!this.parts) throw new Error('not started');
    return this.parts.folder;
  }

  get list(): UploadQueue {
    if (!this.parts) throw new Error('not started');
    return this.parts.list;
  }

  get history(): UploadHistory {
    if (!this.parts) throw new Error('not started');
    return this.parts.history;
  }

  get uploads(): UploadManager {
    if (!this.parts) throw new Error('not started');
    return this.parts.uploader;
  }

  /** A first start, or a start after a kill. */
  async start({
    signedOut = false,
    restores = true,
    concurrency = CONCURRENCY,
    smallConcurrency = concurrency,
    isStreamed = false,
  }: StartOptions = {}): Promise<void> {
    const { clock, storage } = this;
    this.runs += 1;
    storage.heal();
    const network = new Conversation();
    this.network = network;
    network.onRequest = (exchange) => {
      if (network !== this.network || this.account === null) return;
      const id = this.photoOf(exchange);
      if (id === null) return;
      if (exchange.request.method === 'DELETE') {
        if (storage.spool.has(id)) this.droppedThoughKept.push(id);
      } else if (this.removed.has(id))
        this.sentThoughRemoved.push(`${exchange.request.method} ${id}`);
    };
    const session = await signedInSession({ send: network.send, client: testClient(BASE), clock });
    const { records, spool } = this.openPorts?.() ?? {
      records: memoryRecords(storage),
      spool: { ...memorySpool(storage), isStreamed },
    };
    const bytes = seededBytes(this.runs);
    const now = (): number => clock.now();
    const newId = (): string => randomId(bytes);
    const owner = {
      get: (): Owner | null =>
        this.account && { keys: [this.account], workspace: `Studio of ${this.account}` },
    };
    const history = new NotedHistory(this, {
      records,
      now,
      owner,
      isOwnAddress: (address) => this.isOwnAddress(address),
    });
    const photoStore = new PhotoStore({
      records,
      spool,
      now,
      newId,
      ...(this.remembers && { storeHistory: () => history.save() }),
    });
    const checksForDuplicates = this.hasKnownUploads || this.asksInVain;
    const list = new UploadQueue({ photoStore, checksForDuplicates });
    const uploader: UploadManager = new UploadManager({
      queue: list,
      photoStore,
      history,
      onRestored: (others) => {
        folder.restore(others);
      },
      claimOrphans: (orphans) => folder.claimOrphans(orphans),
      reopenPhoto: (token) => Promise.resolve(this.reopenPhoto(token)),
      destinations: { restore: () => undefined, forNewPhotos: () => this.project },
      requests: new RequestQueue({ send: network.send, session, clock, random: () => 0 }),
      records,
      spool,
      clock,
      random: () => 0,
      capabilities: knownToDo({
        ...(this.hasKnownUploads ? WITH_KNOWN_UPLOADS : this.can),
        ...this.more,
      }),
      endpoint: ENDPOINT,
      chunkBytes: 10,
      concurrency,
      smallConcurrency,
      detectProblem: (name, start) => this.detectProblem(name, start),
      account: { state: this.reported, onSignedIn: () => this.askWho() },
      owner: {
        get: () => this.account && ownerOf(this.reported.get(), `session ${this.sessions}`),
      },
      newId,
    });
    const folder = new FolderWatch({
      port: this.folders,
      records,
      spool,
      clock,
      newId,
      queue: list,
      photoStore,
      history,
      importer: uploader.importer,
      photoOwner: () => uploader.ownership.ownerForNewPhotos(),
      identify: async (id, size) => {
        const { documentId } = await inspectFile(await spool.open(id), size);
        return documentId;
      },
      owner,
      project: () => this.project,
    });
    this.parts = { folder, photoStore, list, uploader, history };
    if (!restores) return;
    const restoring = uploader.restore();
    if (signedOut) await uploader.onSignedOut();
    await restoring;
    folder.start();
  }

  /** A photo whose bytes are its text. @param crc32c  what the host computes while it copies, if it does */
  photo(text: string, crc32c: number | null = null): PhotoSource {
    const bytes = new Uint8Array(Buffer.from(text));
    return memoryPhoto(this.storage, `${text}.jpg`, bytes, 'image/jpeg', crc32c);
  }

  /** Puts photos on the list, each with its text as its bytes, and lets begin what may. */
  async queue(...texts: readonly string[]): Promise<void> {
    await this.uploads.addPhotos(texts.map((text) => this.photo(text)));
    await this.clock.settle();
  }

  /** Answers one request after another, until none is on the wire. */
  async finishAll(): Promise<void> {
    for (;;) {
      await this.clock.settle();
      const [exchange] = this.network.open;
      if (!exchange) return;
      this.respond(exchange);
    }
  }

  /** How much of photos is left in storage: records, notes and copies. */
  get left(): number {
    const { records, spool } = this.storage;
    return [...records.keys()].filter((key) => key !== 'last-account').length + spool.size;
  }

  /** Signs out, as the user does by Disconnect. */
  async signOut(): Promise<void> {
    this.account = null;
    void this.uploads.onSignedOut();
    await this.clock.settle();
  }

  /** The id of the photo with this text, among the photos not uploaded yet. */
  idOf(text: string): string {
    const item = this.unsent.find((one) => textOf(one) === text);
    if (!item) throw new Error(`${text} is not in the list`);
    return item.record.id;
  }

  /** All visible photos that are not uploaded yet. */
  get unsent(): readonly UploadItem[] {
    return this.list.slice(0, Infinity).filter(({ phase }) => phase !== 'uploaded');
  }

  /** All visible photos, each with its state. */
  phases(): string[] {
    return this.list.slice(0, 100).map((item) => `${textOf(item)} ${item.phase}`);
  }

  pick(number: number): UploadItem | undefined {
    const { unsent } = this;
    return unsent[number % Math.max(1, unsent.length)];
  }

  respond(exchange: PendingExchange): void {
    const { url, body } = exchange.request;
    if (url === `${ENDPOINT}/known` && typeof body === 'string') {
      const { files } = JSON.parse(body) as { files: { name: string; size: number }[] };
      exchange.respond(200, {}, this.service.known(this.account ?? 'anna', files));
      return;
    }
    const { status, headers } = this.service.handle(this.account ?? 'anna', exchange);
    exchange.respond(status, headers);
  }

  async respondTo(exchange: PendingExchange | undefined): Promise<void> {
    if (!exchange) throw new Error('nothing is on the wire');
    this.respond(exchange);
    await this.clock.settle();
  }

  arrived(): string[] {
    return ACCOUNTS.flatMap((account) => this.service.arrived(account));
  }
}

/** The text of a photo: its name without the ending, and its bytes. */
export function textOf(item: UploadItem): string {
  return item.record.name.replace(/\.jpg$/, '');
}
