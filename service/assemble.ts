/* oxlint-disable max-lines, max-lines-per-function -- one list: which parts there are, and what each is given */
import path from 'node:path';
import type { Provider } from 'oidc-provider';
import { Accounts } from './accounts/accounts.js';
import { DEMO_ACCOUNT } from './accounts/demo.js';
import { KnownBrowsers } from './accounts/known-browsers.js';
import { PasswordCheck } from './accounts/password-check.js';
import { PersonalTokens } from './accounts/personal-access-tokens.js';
import { ContentAddresses } from './content/content-addresses.js';
import { ContentHost, type ContentHostParts } from './content/content-host.js';
import { healthOf } from './database/health.js';
import { onBehalfOf } from './database/on-behalf.js';
import type { PreparedDatabase } from './starting-database.js';
import { analyse, purgeExpired, purgeOrphans } from './database/upkeep.js';
import type { Chore } from './housekeeping.js';
import { clientAddress, widestNetwork, type ClientAddress } from './http/client-address.js';
import { createFront, type Handlers } from './http/front.js';
import type { Handler, WholeHandler } from './http/handler.js';
import { answerHealth } from './http/health-answer.js';
import { chooseLanguage } from './pages/language-choice.js';
import { providerFront } from './oauth/provider-front.js';
import { sendNothing } from './http/responses.js';
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
import { countReuse, reportErrorsOf } from './oauth/provider-events.js';
import { WorkspaceClients } from './oauth/workspace-clients.js';
import type { CheckedOptions } from './options.js';
import { SignInStep } from './pages/sign-in-step.js';
import { auditInto } from './people/audit.js';
import { PeoplePages } from './people/people.js';
import { PhotoApi } from './photos/api.js';
import { ChangeApi } from './photos/change-api.js';
import { MAX_OPEN_DOWNLOADS } from './photos/download.js';
import { answerOpenApi } from './photos/openapi.js';
import { linkToPhoto } from './photos/paths.js';
import { ShownUploads } from './photos/shown-uploads.js';
import { PhotoTable } from './photos/photo-table.js';
import { PhotoPages } from './photos/photos.js';
import { purgeTrash } from './photos/trash-purge.js';
import { VersionTable } from './photos/version-table.js';
import { ProjectApi } from './projects/api.js';
import { ProjectTable } from './projects/project-table.js';
import { projectPages } from './projects/projects.js';
import { SettingsPages } from './settings/settings.js';
import { forgetExpiredShares } from './shares/expired-shares.js';
import { ShareCookie } from './shares/share-cookie.js';
import { SharePasswords } from './shares/share-passwords.js';
import { ShareTable } from './shares/share-table.js';
import { SharedPages } from './shares/shared.js';
import { sharePages } from './shares/shares.js';
import { Looker } from './thumbnails/looker.js';
import { ThumbnailTable } from './thumbnails/thumbnail-table.js';
import { Thumbnails } from './thumbnails/thumbnails.js';
import { removeDiscarded } from './uploads/discards.js';
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
const REMOVE_STRAYS_EVERY_MS = 24 * 3_600_000;
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
  const accounts = new Accounts(database);
  const shown = new ShownUploads(database, accounts);
  const photoApi = new PhotoApi({ bearer, shown, store, open });
  const { uploads, upkeep, space } = assembleUploads(foundation, {
    bearer,
    table,
    store,
    photoApi,
    making,
    shown,
  });
  const front = createFront(
    {
      ...handlers,
      health: answerHealth({ isHealthy: healthOf(database), hasRoom: () => space.hasRoomFor(0) }),
      me: answerMe({ bearer, database, provider }),
      uploads: (request, response, about) => uploads.handle(request, response, about),
      content: (request, response, { id }) => photoApi.content(request, response, id),
      ...changeHandlers({ bearer, shown, accounts }, foundation),
      openapi: answerOpenApi,
    },
    {
      log: options.log,
      baseUrl,
      contentUrl: options.contentUrl,
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

/** What programs may change of what has arrived, and projects for programs. */
function changeHandlers(
  { bearer, shown, accounts }: { bearer: BearerCheck; shown: ShownUploads; accounts: Accounts },
  { options: { now }, database }: Foundation,
): Pick<Handlers, 'changes' | 'projectApi'> {
  const projects = new ProjectTable(database, now);
  const photos = new PhotoTable(database);
  const changes = new ChangeApi({ bearer, photos, projects, shown, now });
  const projectApi = new ProjectApi({ bearer, projects, accounts });
  return {
    changes: async (request, response, { route, id }) => {
      const change = route.path.split('/').at(-1);
      if (change === 'project') {
        await changes.move(request, response, id);
      } else {
        await (change === 'trash'
          ? changes.trash(request, response, id)
          : changes.restore(request, response, id));
      }
    },
    projectApi: (request, response, { id }) =>
      id === '' ? projectApi.all(request, response) : projectApi.one(request, response, id),
  };
}

/** The pages for people, and the OAuth server to which most of them belong. */
function assemblePages(
  foundation: Foundation,
  personalTokens: PersonalTokens,
  { store, open, making }: { store: UploadStorage; open: Bounded; making: Thumbnails },
): {
  provider: Provider;
  handlers: Omit<
    Handlers,
    'health' | 'me' | 'uploads' | 'content' | 'openapi' | 'changes' | 'projectApi'
  >;
} {
  const { options, database, secrets, clients, baseUrl, reportError, counts } = foundation;
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
  const visits = new Visits({ ...shared, database });
  const projects = new ProjectTable(database, now);
  const photos = new PhotoTable(database);
  const thumbnails = new ThumbnailTable(database);
  const content =
    options.contentUrl === undefined
      ? undefined
      : new ContentAddresses(options.contentUrl, formTokens, now);
  const photoPages = new PhotoPages({
    visits,
    accounts,
    database,
    projects,
    provider,
    store,
    now,
    photos,
    versions: new VersionTable(database),
    content,
    open,
    thumbnails,
    making,
    workspaceBytes: options.uploads.workspaceBytes,
  });
  const members = memberHandlers(foundation, {
    visits,
    accounts,
    content,
    photos,
    projects,
    store,
    open,
    limit,
    addressOf,
    formTokens,
    isSecure,
    thumbnails,
    making,
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
      ...members,
      file: (request, response, match) => photoPages.handle(request, response, match),
      people: (request, response, match) => people.handle(request, response, match),
      language: chooseLanguage(isSecure),
    },
  };
}

/** Projects and links, and what links lead to. */
function memberHandlers(
  { options: { now, log }, database, baseUrl }: Foundation,
  parts: {
    visits: Visits;
    accounts: Accounts;
    content: ContentAddresses | undefined;
    photos: PhotoTable;
    projects: ProjectTable;
    store: UploadStorage;
    open: Bounded;
    thumbnails: ThumbnailTable;
    making: Thumbnails;
    limit: AttemptLimit;
    addressOf: ClientAddress;
    formTokens: FormTokens;
    isSecure: boolean;
  },
): Pick<Handlers, 'projects' | 'shares' | 'shared' | 'sharedFile' | 'contentHost'> {
  const { visits, photos, projects, addressOf } = parts;
  const shares = new ShareTable(database, now);
  const passwords = new SharePasswords(parts.limit, addressOf);
  const audit = auditInto(log);
  const members = new VisitPages(
    visits,
    new Map([
      ...projectPages({ projects }),
      ...sharePages({ photos, projects, shares, passwords, baseUrl, audit }),
    ]),
  );
  const cookie = new ShareCookie(parts.formTokens, parts.isSecure, now);
  const guests = new SharedPages({ ...parts, now, shares, cookie, passwords, audit });
  const forMembers: WholeHandler = (request, response, match) =>
    members.handle(request, response, match);
  const forGuests: WholeHandler = (request, response, match) =>
    guests.handle(request, response, match);
  return {
    projects: forMembers,
    shares: forMembers,
    shared: forGuests,
    sharedFile: forGuests,
    contentHost: contentHandler({ ...parts, now, shares }),
  };
}

/** The host of stored files; without one nothing comes here. */
function contentHandler({
  content,
  ...parts
}: Omit<ContentHostParts, 'addresses'> & {
  readonly content: ContentAddresses | undefined;
}): WholeHandler {
  const host = content && new ContentHost({ ...parts, addresses: content });
  return async (request, response, match) => {
    if (host === undefined) {
      sendNothing(response, 404);
    } else {
      await host.handle(request, response, match);
    }
  };
}

function assembleUploads(
  { options, database, baseUrl, reportError }: Foundation,
  {
    bearer,
    table,
    store,
    photoApi,
    making,
    shown,
  }: {
    bearer: BearerCheck;
    table: UploadTable;
    store: UploadStorage;
    photoApi: PhotoApi;
    making: Thumbnails;
    shown: ShownUploads;
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
    shown,
    uploads: table,
    store,
    finishing,
    space,
    limits: options.uploads,
    recheckSeconds: options.uploads.recheckSeconds,
    idleSeconds: options.uploadIdleSeconds,
    answerOne: (request, response, id) => photoApi.one(request, response, id),
    linkToPage: (id) => linkToPhoto(baseUrl, id),
    locks: database.isShared ? new SharedUploadLocks(localLocks, database, table.rows) : localLocks,
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
  const { looker = new Looker(), now } = options;
  return new Thumbnails({ table, store, looker, now, reportError });
}

/** What clears away, and what catches up. */
function housekeeping(
  { options, database, reportError }: Foundation,
  uploads: UploadUpkeep,
  store: UploadStorage,
  making: Thumbnails,
): Omit<Assembled, 'handle' | 'close'> {
  const { now, lifetimes } = options;
  const abandonedBefore = (): Date =>
    new Date(now().getTime() - lifetimes.unfinishedUploadSeconds * 1000);
  const purgeShortLived = async (signal?: AbortSignal): Promise<void> => {
    await purgeExpired(database, now(), signal);
    const shares = new ShareTable(database, now);
    await forgetExpiredShares({ shares, audit: auditInto(options.log) }, signal);
    if (signal?.aborted === true) {
      return;
    }
    await uploads.removeAbandoned(abandonedBefore(), signal);
    await purgeTrash({ photos: new PhotoTable(database), store, now, reportError }, signal);
    await removeDiscarded({ database, store, reportError }, signal);
  };
  return {
    purge: async () => {
      await purgeShortLived();
      await purgeOrphans(database, now());
      await uploads.removeStrays(abandonedBefore());
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
      {
        run: (signal) => uploads.removeStrays(abandonedBefore(), signal),
        everyMs: REMOVE_STRAYS_EVERY_MS,
      },
    ],
  };
}
