import { Accounts } from '../accounts/accounts.js';
import { DEMO_ACCOUNT } from '../accounts/demo.js';
import { PersonalTokens } from '../accounts/personal-access-tokens.js';
import { ContentAddresses } from '../content/content-addresses.js';
import { clientAddress, type ClientAddress } from '../http/client-address.js';
import { RateLimiter } from '../limits/attempt-limit.js';
import { CsrfTokens } from '../oauth/form-tokens.js';
import { MAX_OPEN_DOWNLOADS } from '../photos/download.js';
import { PhotoTable } from '../photos/photo-table.js';
import { ZipPlaces } from '../photos/zip-places.js';
import { ProjectTable } from '../projects/project-table.js';
import { ShareTable } from '../shares/share-table.js';
import { ImageWorker } from '../thumbnails/looker.js';
import { ThumbnailTable } from '../thumbnails/thumbnail-table.js';
import { Thumbnails } from '../thumbnails/thumbnails.js';
import { ConcurrencyLimit } from '../uploads/once-at-a-time.js';
import { openStorage } from '../uploads/open-storage.js';
import type { UploadStorage } from '../uploads/upload-storage.js';
import { UploadRepository } from '../uploads/upload-table.js';
import type { AppContext } from './foundation.js';

/** The parts that several areas of the service use. There is one of each, since some of them count for all areas. */
export interface SharedServices {
  readonly now: () => Date;
  readonly addressOf: ClientAddress;
  /** Whether browsers reach the service by https; then cookies are for https only. */
  readonly isSecure: boolean;
  readonly accounts: Accounts;
  readonly personalTokens: PersonalTokens;
  readonly formTokens: CsrfTokens;
  /** Limits attempts, by what is tried and who tries. */
  readonly limit: RateLimiter;
  /** The rows of uploads. */
  readonly table: UploadRepository;
  /** The bytes of uploads. */
  readonly store: UploadStorage;
  readonly photos: PhotoTable;
  readonly projects: ProjectTable;
  readonly shares: ShareTable;
  readonly thumbnails: ThumbnailTable;
  /** Makes the thumbnails. */
  readonly making: Thumbnails;
  /** Limits the downloads that one person, or one address of guests, has open at the same time. */
  readonly open: ConcurrencyLimit;
  /** Limits the ZIPs among them. */
  readonly zips: ZipPlaces;
  /** How often the permission of a long download is checked again, in seconds. */
  readonly recheckSeconds: number;
  /** Makes addresses on the host of stored files; undefined when they have no host of their own. */
  readonly content: ContentAddresses | undefined;
}

/** Builds the parts that several areas of the service use. */
export function sharedServices(foundation: AppContext): SharedServices {
  const { options, database, secrets, baseUrl, reportError, counts } = foundation;
  const { now, contentUrl, looker = new ImageWorker() } = options;
  const formTokens = new CsrfTokens(secrets.formKey);
  const table = new UploadRepository(database);
  const store = openStorage(options, table);
  const thumbnails = new ThumbnailTable(database);
  return {
    now,
    addressOf: clientAddress(options.trustedProxies),
    isSecure: baseUrl.startsWith('https:'),
    accounts: new Accounts(database, options.demoAccount ? undefined : DEMO_ACCOUNT.password),
    personalTokens: new PersonalTokens(database, now),
    formTokens,
    limit: new RateLimiter(database, now, counts),
    table,
    store,
    photos: new PhotoTable(database),
    projects: new ProjectTable(database, now),
    shares: new ShareTable(database, now),
    thumbnails,
    making: new Thumbnails({ table: thumbnails, store, looker, now, reportError }),
    open: new ConcurrencyLimit(MAX_OPEN_DOWNLOADS),
    zips: new ZipPlaces(),
    recheckSeconds: options.uploads.recheckSeconds,
    content:
      contentUrl === undefined ? undefined : new ContentAddresses(contentUrl, formTokens, now),
  };
}
