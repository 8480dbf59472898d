import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import type { Provider } from 'oidc-provider';
import { Accounts } from './accounts/accounts.js';
import { DEMO_ACCOUNT } from './accounts/demo.js';
import { KnownBrowsers } from './accounts/known-browsers.js';
import { PasswordCheck } from './accounts/password-check.js';
import { PersonalTokens } from './accounts/personal-access-tokens.js';
import { healthOf } from './database/health.js';
import { onBehalfOf } from './database/on-behalf.js';
import type { PreparedDatabase } from './database/open.js';
import { analyse, purgeExpired, purgeOrphans } from './database/upkeep.js';
import type { Chore } from './housekeeping.js';
import { clientAddress, widestNetwork } from './http/client-address.js';
import { isClientGone } from './http/client-gone.js';
import { createFront, type Handlers } from './http/front.js';
import type { Handler } from './http/handler.js';
import { answerHealth } from './http/health-answer.js';
import { chooseLanguage } from './http/language-choice.js';
import { providerFront } from './http/provider-front.js';
import { AttemptLimit } from './limits/attempt-limit.js';
import { FairStart } from './limits/fair-start.js';
import { answerMe } from './me/me.js';
import type { Counts } from './metrics/counts.js';
import { BearerCheck } from './oauth/bearer.js';
import { FinishedInteractions } from './oauth/finished-interactions.js';
import { FormTokens } from './oauth/form-tokens.js';
import { Connections } from './oauth/grants.js';
import { Interactions } from './oauth/interactions.js';
import { OfficialNames } from './oauth/official-names.js';
import type { PlatformClient } from './oauth/platform-clients.js';
import { createProvider, SESSION_SECONDS } from './oauth/provider.js';
import { ROUTES } from './oauth/routes.js';
import { WorkspaceClients } from './oauth/workspace-clients.js';
import type { CheckedOptions } from './options.js';
import { SignInStep } from './pages/sign-in-step.js';
import { PeoplePages } from './people/people.js';
import { PhotoApi } from './photos/api.js';
import { MAX_OPEN_DOWNLOADS } from './photos/download.js';
import { answerOpenApi } from './photos/openapi.js';
import { linkToPhoto } from './photos/paths.js';
import { PhotoTable } from './photos/photo-table.js';
import { PhotoPages } from './photos/photos.js';
import { purgeTrash } from './photos/trash-purge.js';
import { ProjectTable } from './projects/project-table.js';
import { projectPages } from './projects/projects.js';
import { SettingsPages } from './settings/settings.js';
import { ShareCookie } from './shares/share-cookie.js';
import { SharePasswords } from './shares/share-passwords.js';
import { ShareTable } from './shares/share-table.js';
import { SharedPages } from './shares/shared.js';
import { sharePages } from './shares/shares.js';
import { Looker } from './thumbnails/looker.js';
import { ThumbnailTable } from './thumbnails/thumbnail-table.js';
import { Thumbnails } from './thumbnails/thumbnails.js';
import { DiskSpace, freeDiskOf } from './uploads/disk-space.js';
import { Finishing } from './uploads/finishing.js';
import { Bounded } from './uploads/once-at-a-time.js';
import { openStorage } from './uploads/open-storage.js';
import { SharedUploadLocks } from './uploads/shared-upload-locks.js';
import { UploadLocks } from './uploads/upload-locks.js';
import { UnfinishedUploads } from './uploads/unfinished-uploads.js';
import { UploadTable } from './uploads/upload-table.js';
import { UploadUpkeep } from './uploads/upload-upkeep.js';
import { Uploads } from './uploads/uploads.js';
import type { UploadStorage } from './uploads/upload-storage.js';
import { VisitPages } from './visits/visit-pages.js';
import { Visits } from './visits/visits.js';

/** How much later than the uploads themselves the front ends one that rests. */
const IDLE_GRACE_MS = 2000;
const PURGE_EVERY_MS = 5 * 60_000;
const PURGE_ORPHANS_EVERY_MS = 24 * 3_600_000;
const ANALYSE_EVERY_MS = 10 * 60_000;
const CATCH_UP_EVERY_MS = 30_000;

/** What the service is built on. */
export interface Foundation extends PreparedDatabase {
  readonly options: CheckedOptions;
  readonly clients: PlatformClient[];
  readonly baseUrl: string;
  readonly reportError: (error: unknown) => void;
  readonly counts: Counts;
}

/** A service that was built. */
export interface Assembled {
  readonly handle: Handler;
  /** What it does over and over beside the requests. */
  readonly chores: Chore[];
  /** Removes what has expired and what was given up. */
  purge(): Promise<void>;
  /** Ends what goes on beside the requests and the chores. */
  close(): Promise<void>;
}

/** Builds the parts over a prepared database and wires them. */
export function assemble(foundation: Foundation): Assembled {
  const { options, database, baseUrl } = foundation;
  const addressOf = clientAddress(options.trustedProxies);
  const personalTokens = new PersonalTokens(database, options.now);
  const table = new UploadTable(database);
  const store = openStorage(options, table);
  const open = new Bounded(MAX_OPEN_DOWNLOADS);
  const making = assembleThumbnails(foundation, store);
  const { provider, handlers } = assemblePages(foundation, personalTokens, {
    store,
    open,
    making,
  });
  const bearer = new BearerCheck(provider, database, personalTokens, options.now);
  const photoApi = new PhotoApi({ bearer, database, store, open });
  const { uploads, upkeep, space } = assembleUploads(foundation, {
    bearer,
    table,
    store,
    photoApi,
    making,
  });
  const front = createFront(
    {
      ...handlers,
      health: answerHealth({ isHealthy: healthOf(database), hasRoom: () => space.hasRoomFor(0) }),
      me: answerMe({ bearer, database, provider }),
      uploads: (request, response, about) => uploads.handle(request, response, about),
      content: (request, response, { id }) => photoApi.content(request, response, id),
      openapi: answerOpenApi,
    },
    {
      log: options.log,
      baseUrl,
      requestMs: options.requestSeconds * 1000,
      // The uploads answer a client that rests; this is for one that does not read that either.
      uploadIdleMs: options.uploadIdleSeconds * 1000 + IDLE_GRACE_MS,
    },
  );
  const start = new FairStart();
  return {
    handle: async (request, response) => {
      const who = widestNetwork(addressOf(request));
      await start.turn(who);
      if (response.destroyed) {
        return;
      }
      await onBehalfOf(who, () => front(request, response));
    },
    ...housekeeping(foundation, upkeep, store, making),
    close: () => making.close(),
  };
}

/** The pages for people, and the OAuth server to which most of them belong. */
function assemblePages(
  { options, database, secrets, clients, baseUrl, reportError, counts }: Foundation,
  personalTokens: PersonalTokens,
  { store, open, making }: { store: UploadStorage; open: Bounded; making: Thumbnails },
): {
  provider: Provider;
  handlers: Omit<Handlers, 'health' | 'me' | 'uploads' | 'content' | 'openapi'>;
} {
  const { now, lifetimes } = options;
  const formTokens = new FormTokens(secrets.formKey);
  const limit = new AttemptLimit(database, now, counts);
  const addressOf = clientAddress(options.trustedProxies);
  const accounts = new Accounts(database, options.demoAccount ? undefined : DEMO_ACCOUNT.password);
  const isSecure = baseUrl.startsWith('https:');
  const knownBrowsers = new KnownBrowsers(formTokens, isSecure, now);
  const passwords = new PasswordCheck({ accounts, limit, addressOf, knownBrowsers });
  const demo = options.demoAccount && options.showDemoAccount ? DEMO_ACCOUNT : undefined;
  const signIn = new SignInStep(passwords, demo);
  const finished = new FinishedInteractions(database, now);
  const provider = createProvider({
    baseUrl,
    database,
    accounts,
    clients,
    secrets,
    formTokens,
    finished,
    limit,
    addressOf,
    lifetimes,
    now,
  });
  reportErrorsOf(provider, reportError);
  countReuse(provider, counts);
  const shared = { provider, accounts, signIn, formTokens, sessionSeconds: SESSION_SECONDS };
  const interactions = new Interactions({ ...shared, finished });
  const visits = new Visits(shared);
  const projects = new ProjectTable(database, now);
  const photos = new PhotoTable(database);
  const thumbnails = new ThumbnailTable(database);
  const photoPages = new PhotoPages({
    visits,
    database,
    projects,
    provider,
    store,
    now,
    photos,
    open,
    thumbnails,
    making,
    workspaceBytes: options.uploads.workspaceBytes,
  });
  const shares = new ShareTable(database, now);
  const sharePasswords = new SharePasswords(limit, addressOf);
  const memberPages = new VisitPages(
    visits,
    new Map([
      ...projectPages({ projects }),
      ...sharePages({ photos, projects, shares, passwords: sharePasswords, baseUrl }),
    ]),
  );
  const sharedPages = new SharedPages({
    photos,
    shares,
    store,
    open,
    addressOf,
    now,
    thumbnails,
    making,
    cookie: new ShareCookie(formTokens, isSecure, now),
    passwords: sharePasswords,
  });
  const settings = new SettingsPages({
    visits,
    provider,
    signIn,
    formTokens,
    connections: new Connections(database, now),
    clients: new WorkspaceClients(database, now),
    officialNames: new OfficialNames(clients.map((client) => client.client_name)),
    personalTokens,
  });
  const people = new PeoplePages({
    visits,
    database,
    accounts,
    passwords,
    formTokens,
    limit,
    addressOf,
    baseUrl,
    log: options.log,
    now,
    demoUsername: options.demoAccount ? DEMO_ACCOUNT.username : undefined,
  });
  return {
    provider,
    handlers: {
      oauth: providerFront(provider),
      interaction: (request, response) => interactions.handle(request, response),
      settings: (request, response, match) => settings.handle(request, response, match),
      photos: (request, response, match) => photoPages.handle(request, response, match),
      projects: (request, response, match) => memberPages.handle(request, response, match),
      shares: (request, response, match) => memberPages.handle(request, response, match),
      shared: (request, response, match) => sharedPages.handle(request, response, match),
      sharedFile: (request, response, match) => sharedPages.handle(request, response, match),
      file: (request, response, match) => photoPages.handle(request, response, match),
      people: (request, response, match) => people.handle(request, response, match),
      language: chooseLanguage(isSecure),
    },
  };
}

/**
 * Listens to Koa's own error event, which the provider's types leave out; without a listener Koa prints
 * stacks. It tells what happens after a request was handled: most often that the client is gone.
 */
function reportErrorsOf(provider: Provider, reportError: (error: unknown) => void): void {
  const koaEvents: EventEmitter = provider;
  koaEvents.on('error', (error: unknown, context?: { readonly res: ServerResponse }) => {
    if (context === undefined || !isClientGone(error, context.res)) {
      reportError(error);
    }
  });
}

/** A grant that ends at the token endpoint does so because a token or code was used twice. */
function countReuse(provider: Provider, counts: Counts): void {
  provider.on('grant.revoked', (ctx) => {
    if (ctx.path === ROUTES.token) {
      counts.sessionEndedByReuse();
    }
  });
}

function assembleUploads(
  { options, database, baseUrl, reportError }: Foundation,
  {
    bearer,
    table,
    store,
    photoApi,
    making,
  }: {
    bearer: BearerCheck;
    table: UploadTable;
    store: UploadStorage;
    photoApi: PhotoApi;
    making: Thumbnails;
  },
): { uploads: Uploads; upkeep: UploadUpkeep; space: DiskSpace } {
  const { log, now } = options;
  const uploadFolder = path.join(options.dataDir, 'uploads');
  const space = new DiskSpace(
    options.s3 === undefined ? (options.freeDiskBytes ?? freeDiskOf(uploadFolder)) : undefined,
    options.uploads.minFreeDiskBytes,
  );
  const finishing = new Finishing({
    uploads: table,
    store,
    now,
    reportError,
    onFinished: (id) => {
      making.want(id);
    },
  });
  const localLocks = new UploadLocks();
  const uploads = new Uploads({
    bearer,
    uploads: table,
    store,
    finishing,
    space,
    limits: options.uploads,
    recheckSeconds: options.uploads.recheckSeconds,
    idleSeconds: options.uploadIdleSeconds,
    answerOne: (request, response, id) => photoApi.one(request, response, id),
    linkToPage: (id) => linkToPhoto(baseUrl, id),
    locks: database.isShared ? new SharedUploadLocks(localLocks, database) : localLocks,
    log,
    now,
  });
  const upkeep = new UploadUpkeep({
    unfinished: new UnfinishedUploads(database),
    store,
    finishIfComplete: (upload) => finishing.finishIfComplete(upload),
    reportError,
  });
  return { uploads, upkeep, space };
}

function assembleThumbnails(
  { options, database, reportError }: Foundation,
  store: UploadStorage,
): Thumbnails {
  const table = new ThumbnailTable(database);
  return new Thumbnails({ table, store, looker: new Looker(), now: options.now, reportError });
}

/** What clears away, and what catches up. */
function housekeeping(
  { options, database, reportError }: Foundation,
  uploads: UploadUpkeep,
  store: UploadStorage,
  making: Thumbnails,
): Omit<Assembled, 'handle' | 'close'> {
  const { now, lifetimes } = options;
  const purgeShortLived = async (signal?: AbortSignal): Promise<void> => {
    await purgeExpired(database, now(), signal);
    const keepMs = lifetimes.unfinishedUploadSeconds * 1000;
    if (signal?.aborted === true) {
      return;
    }
    await uploads.removeAbandoned(new Date(now().getTime() - keepMs), signal);
    await purgeTrash({ photos: new PhotoTable(database), store, now, reportError }, signal);
  };
  return {
    purge: async () => {
      await purgeShortLived();
      await purgeOrphans(database, now());
    },
    chores: [
      { run: (signal) => uploads.recover(signal), everyMs: undefined },
      { run: purgeShortLived, everyMs: PURGE_EVERY_MS },
      { run: () => making.catchUp(), everyMs: CATCH_UP_EVERY_MS },
      // A PostgreSQL server does so by itself.
      ...(database.isShared ? [] : [{ run: () => analyse(database), everyMs: ANALYSE_EVERY_MS }]),
      {
        run: (signal) => purgeOrphans(database, now(), signal),
        everyMs: PURGE_ORPHANS_EVERY_MS,
      },
    ],
  };
}
