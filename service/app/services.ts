import path from 'node:path';
import type { Provider } from 'oidc-provider';
import {
  DEMO_ACCOUNT,
  TrustedDevices,
  PasswordCheck,
  Members,
  AuthenticatorApps,
  PasskeyChallenges,
  Passkeys,
  PasswordProofs,
  SecondFactor,
  CompanyIdentities,
  IdentityProviders,
  Invitations,
  CompanySignIn,
  OpenIdClient,
  SealedCookie,
  SessionGuard,
  type BegunSignIn,
  type NewcomerIdentity,
  type CompanyRoutesDeps,
  noticesOf,
} from '../identity/index.js';
import { healthOf } from '../kernel/database/health.js';
import {
  BearerCheck,
  FinishedInteractions,
  ConnectedApps,
  ReservedClientNames,
  resourceMetadataUrl,
  createProvider,
  SESSION_SECONDS,
  countReuse,
  reportErrorsOf,
  WorkspaceClients,
  SignInStep,
} from '../oauth/index.js';
import { secretKey, type SecretPurpose } from '../kernel/secret-box.js';
import { linkToPhoto } from '../site/addresses/photo-paths.js';
import {
  UploadApiRepository,
  VersionTable,
  DeviceTable,
  DiskSpace,
  freeDiskOf,
  SharedUploadLocks,
  UploadLocks,
  UploadHandler,
  type UploadFinalizer,
} from '../library/index.js';
import {
  ReceiptKeys,
  ReceiptWriter,
  GuestCookie,
  ShareCookie,
  SharePasswords,
} from '../delivery/index.js';
import { flashMessages, menuEntries } from './modules.js';
import type { SharedServices } from './shared-services.js';
import { EVENTS } from './events.js';
import type { AppContext } from './app-context.js';
import type { RoutesDeps } from './routes.js';

/** Builds the dependencies of the routes. */
export function routeServices(
  foundation: AppContext,
  common: SharedServices,
  finishing: UploadFinalizer,
): RoutesDeps {
  const { options, database, clients, baseUrl } = foundation;
  const { accounts, formTokens, isSecure, now, personalTokens } = common;
  const finished = new FinishedInteractions(database, formTokens, now);
  const provider = oauthServer(foundation, common, finished);
  const passwords = new PasswordCheck({
    ...common,
    trustedDevices: new TrustedDevices(formTokens, isSecure, now),
  });
  const bearer = new BearerCheck(
    database,
    personalTokens,
    baseUrl,
    resourceMetadataUrl(baseUrl),
    now,
  );
  const shown = new UploadApiRepository(database, accounts, baseUrl);
  const space = diskSpace(foundation);
  const sessions = {
    provider,
    database,
    baseUrl,
    formTokens,
    sessionSeconds: SESSION_SECONDS,
    isSecure,
    addressOf: common.addressOf,
    notices: noticesOf(EVENTS),
    now,
  };
  const factors = secondFactors(foundation, common);
  const company = companyServices(foundation, common);
  const receiptKeys = new ReceiptKeys(database);
  const devices = new DeviceTable(database, now);
  const help = { sendsMail: options.mail !== undefined, contact: options.helpContact };
  const demo = options.demoAccount && options.showDemoAccount ? DEMO_ACCOUNT : undefined;
  return {
    ...common,
    ...sessions,
    ...company,
    events: EVENTS,
    codeSignIn: options.codeSignIn,
    baseUrl,
    isHealthy: healthOf(database),
    hasRoom: () => space.hasRoomFor(0),
    guard: new SessionGuard({ ...sessions, menu: menuEntries(), flashMessages: flashMessages() }),
    finished,
    bearer,
    passwords,
    help,
    signIn: new SignInStep(passwords, demo, {
      ...common,
      ...factors,
      database,
      help,
      providers: company.providers,
    }),
    ...factors,
    demoUsername: options.demoAccount ? DEMO_ACCOUNT.username : undefined,
    connections: new ConnectedApps(database, now, (...renamed) => devices.rename(...renamed)),
    clients: new WorkspaceClients(database, now),
    officialNames: new ReservedClientNames(clients.map((client) => client.client_name)),
    members: new Members(database),
    versions: new VersionTable(database),
    workspaceBytes: options.uploads.workspaceBytes,
    shown,
    uploads: uploads(foundation, common, { bearer, space, finishing }),
    devices,
    receiptKeys,
    receipts: new ReceiptWriter({ database, keys: receiptKeys, baseUrl, now }),
    cookie: new ShareCookie(formTokens, isSecure, now),
    guests: new GuestCookie(formTokens, isSecure),
    sharePasswords: new SharePasswords(common.limit, common.addressOf),
  };
}

/** The parts for second factors. */
function secondFactors(
  { options, database, secrets, baseUrl }: AppContext,
  { accounts, audit, formTokens, limit, now }: SharedServices,
) {
  const challenges = new PasskeyChallenges(formTokens, limit, now);
  const passkeys = new Passkeys({ database, challenges, baseUrl, now });
  const authenticators = new AuthenticatorApps(database, secretKey(secrets.boxKey, 'totp'), now);
  return {
    passkeys,
    authenticators,
    secondFactor: new SecondFactor({
      ...{ database, authenticators, passkeys, limit, audit, now, log: options.log },
    }),
    proofs: new PasswordProofs(formTokens, (id) => accounts.passwordHash(id), now),
  };
}

/** The sign-in with the accounts of companies. */
function companyServices(
  { options, database, secrets, baseUrl }: AppContext,
  { audit, limit, isSecure, now, outgoing }: SharedServices,
): Omit<CompanyRoutesDeps, 'guard' | 'accounts' | 'formTokens' | 'limit' | 'audit' | 'baseUrl'> {
  const key = (purpose: SecretPurpose): Uint8Array => secretKey(secrets.boxKey, purpose);
  const invitations = new Invitations(database, now);
  const providers = new IdentityProviders(database, key('identity-provider'), now);
  const identities = new CompanyIdentities(database, invitations, now);
  const openId = new OpenIdClient(outgoing);
  const newcomer = new SealedCookie<NewcomerIdentity>('cws_identity', {
    ...{ key: key('newcomer'), isSecure, now },
  });
  const begun = new SealedCookie<BegunSignIn>('cws_company', {
    ...{ key: key('company-sign-in'), isSecure, now },
  });
  const choose = new SealedCookie<{ readonly workspaceId: string }>('cws_choose', {
    ...{ key: key('company-sign-in'), isSecure, now },
  });
  return {
    ...{ invitations, providers, identities, openId, newcomer, outgoing },
    resolveTxt: options.resolveTxt,
    companySignIn: new CompanySignIn({
      ...{ providers, identities, openId, begun, newcomer, choose, invitations },
      ...{ limit, audit, log: options.log, now, baseUrl },
    }),
  };
}

function uploads(
  { options, database, baseUrl }: AppContext,
  { table, store, now }: SharedServices,
  deps: {
    readonly bearer: BearerCheck;
    readonly space: DiskSpace;
    readonly finishing: UploadFinalizer;
  },
): UploadHandler {
  const local = new UploadLocks();
  return new UploadHandler({
    ...deps,
    uploads: table,
    store,
    limits: options.uploads,
    recheckSeconds: options.uploads.recheckSeconds,
    idleSeconds: options.uploadIdleSeconds,
    linkToPage: (id) => linkToPhoto(baseUrl, id),
    locks: database.isShared ? new SharedUploadLocks(local, database) : local,
    log: options.log,
    now,
  });
}

function diskSpace({ options }: AppContext): DiskSpace {
  const folder = path.join(options.dataDir, 'uploads');
  const free = options.s3 === undefined ? (options.freeDiskBytes ?? freeDiskOf(folder)) : undefined;
  return new DiskSpace(free, options.uploads.minFreeDiskBytes);
}

function oauthServer(
  { options, database, secrets, clients, baseUrl, reportError, counts }: AppContext,
  { accounts, audit, formTokens, limit, addressOf, now }: SharedServices,
  finished: FinishedInteractions,
): Provider {
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
    lifetimes: options.lifetimes,
    codeSignIn: options.codeSignIn,
    audit,
    now,
  });
  reportErrorsOf(provider, reportError);
  countReuse(provider, counts);
  return provider;
}
