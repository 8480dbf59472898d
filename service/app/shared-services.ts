import {
  Accounts,
  auditInto,
  DEMO_ACCOUNT,
  PersonalTokens,
  CsrfTokens,
  type Audit,
} from '../identity/index.js';
import {
  ContentAddresses,
  MAX_OPEN_DOWNLOADS,
  PhotoChanges,
  PhotoTable,
  ZipLimit,
  ProjectTable,
  FeedbackTable,
  ImageWorker,
  PhotoThumbnails,
  StoredLocations,
  ThumbnailTable,
  Watermarks,
  ThumbnailWorker,
  openStorage,
  UploadRepository,
  type UploadStorage,
} from '../library/index.js';
import { clientAddress, type ClientAddress } from '../kernel/http/request/client-address.js';
import { RateLimiter } from '../kernel/rate-limit/rate-limiter.js';
import { ShareTable, LogoTable } from '../delivery/index.js';
import { ConcurrencyLimit } from '../kernel/single-flight.js';
import { WebhookSender, WebhookTable } from '../workspace/index.js';
import type { OutgoingPolicy } from '../kernel/http/outgoing.js';
import { secretKey } from '../kernel/secret-box.js';
import { appendEvent, EVENTS } from './events.js';
import { kindsOf } from '../kernel/events/event.js';
import type { AppContext } from './app-context.js';

/** The parts that several areas of the service use. There is one of each, since some of them count for all areas. */
export interface SharedServices {
  readonly now: () => Date;
  readonly addressOf: ClientAddress;
  /** Whether browsers reach the service by https; then cookies are for https only. */
  readonly isSecure: boolean;
  readonly accounts: Accounts;
  readonly personalTokens: PersonalTokens;
  readonly formTokens: CsrfTokens;
  /** Limits attempts by action and by source. */
  readonly limit: RateLimiter;
  /** The rows of uploads. */
  readonly table: UploadRepository;
  /** The bytes of uploads. */
  readonly store: UploadStorage;
  readonly photos: PhotoTable;
  readonly changes: PhotoChanges;
  readonly projects: ProjectTable;
  readonly shares: ShareTable;
  /** What guests of links said about photos. */
  readonly answers: FeedbackTable;
  readonly thumbnails: PhotoThumbnails;
  /** The logos of workspaces. */
  readonly logos: LogoTable;
  /** Reads and makes pictures. */
  readonly imageWorker: Pick<ImageWorker, 'logo'>;
  /** Makes pictures with the name of the studio. */
  readonly watermarks: Watermarks;
  /** Where the location is in files. */
  readonly locations: StoredLocations;
  /** Makes the thumbnails. */
  readonly thumbnailWorker: ThumbnailWorker;
  /** Limits the concurrent downloads of each user, or of each address of guests. */
  readonly open: ConcurrencyLimit;
  /** Limits the ZIPs among them. */
  readonly zips: ZipLimit;
  /** How often the permission of a long download is checked again, in seconds. */
  readonly recheckSeconds: number;
  /** Makes URLs on the host of stored files; undefined without a separate host. */
  readonly content: ContentAddresses | undefined;
  /** Which addresses that users enter the service may connect to. */
  readonly outgoing: OutgoingPolicy;
  readonly audit: Audit;
  readonly webhooks: WebhookTable;
  readonly webhookSender: WebhookSender;
}

/** Builds the parts that several areas of the service use. */
export function sharedServices(foundation: AppContext): SharedServices {
  const { options, database, secrets, baseUrl, reportError, counts } = foundation;
  const { now, contentUrl, imageWorker = new ImageWorker() } = options;
  const addressOf = clientAddress(options.trustedProxies);
  const audit = auditInto({ log: options.log, database, append: appendEvent, addressOf, now });
  const formTokens = new CsrfTokens(secrets.formKey);
  const outgoing = {
    allowsPrivate: options.allowsPrivateAddresses,
    proxy: options.outgoingProxy === undefined ? undefined : new URL(options.outgoingProxy),
  };
  const webhookKey = secretKey(secrets.boxKey, 'webhook');
  const table = new UploadRepository(database);
  const store = openStorage(options, table);
  const thumbnailWorker = new ThumbnailWorker({
    table: new ThumbnailTable(database),
    store,
    imageWorker,
    now,
    reportError,
  });
  return {
    now,
    addressOf,
    audit,
    isSecure: baseUrl.startsWith('https:'),
    accounts: new Accounts(database, options.demoAccount ? undefined : DEMO_ACCOUNT.password),
    personalTokens: new PersonalTokens(database, now),
    formTokens,
    limit: new RateLimiter(database, now, counts),
    table,
    store,
    photos: new PhotoTable(database),
    changes: new PhotoChanges(database, now),
    projects: new ProjectTable(database, now),
    shares: new ShareTable(database, formTokens, now),
    answers: new FeedbackTable(database, now),
    thumbnails: new PhotoThumbnails(database),
    logos: new LogoTable(database),
    imageWorker,
    watermarks: new Watermarks({ database, store, imageWorker, thumbnailWorker, reportError }),
    locations: new StoredLocations(database, now),
    thumbnailWorker,
    open: new ConcurrencyLimit(MAX_OPEN_DOWNLOADS),
    zips: new ZipLimit(),
    outgoing,
    webhooks: new WebhookTable(database, kindsOf(EVENTS), webhookKey, now),
    webhookSender: new WebhookSender({
      ...{ database, key: webhookKey, policy: outgoing, audit, now },
    }),
    recheckSeconds: options.uploads.recheckSeconds,
    content:
      contentUrl === undefined ? undefined : new ContentAddresses(contentUrl, formTokens, now),
  };
}
