import { AccountSwitch } from './account/account-switch.js';
import { CurrentAccount } from './account/current-account.js';
import { ConnectedOwner } from './account/owner.js';
import { Device, type DeviceIdentity } from './features/device/device.js';
import { RequestQueue } from './api/request-queue.js';
import { CapabilityProbe } from './api/tus-capabilities.js';
import { createTransport } from './api/transport.js';
import { CwError, toCwError } from './util/errors.js';
import type { Clock } from './util/clock.js';
import { randomFraction, randomId } from './util/random-id.js';
import { Redactor } from './util/redact.js';
import { Observable, type ReadableObservable } from './util/observable.js';
import { withParameter } from './util/url.js';
import { isOlder } from './util/version.js';
import type { CommandEntry, Host, HostInfo, MountPanel } from './host/host.js';
import { Revocations } from './oauth/session/revocations.js';
import { Session } from './oauth/session/session.js';
import type { DeviceDetails } from './oauth/device-flow/authorization.js';
import { DeviceSignIn } from './oauth/device-flow/sign-in.js';
import { diagnosticsText } from './panel/diagnostics.js';
import { ErrorLog } from './panel/error-log.js';
import { presetName } from './features/presets/preset-name.js';
import { panelMenu } from './panel/menu.js';
import { Panel } from './panel/panel.js';
import { languageFor } from './ui/i18n/language.js';
import { loadTranslations } from './ui/i18n/load-translations.js';
import type { Translations } from './ui/i18n/translations.js';
import type { PanelActions, PanelStores } from './panel/view.js';
import { createPanelActions, isOnOrigin } from './panel-actions.js';
import { MIN_UXP_VERSION, type BuildSettings } from './config.js';
import { Destinations } from './features/destinations/destinations.js';
import { ClientAnswers } from './features/documents/client-answers.js';
import { OpenDocumentWatch } from './features/documents/document-state.js';
import { Receipts } from './features/receipts/receipts.js';
import { ShareLinks } from './features/links/share-links.js';
import { DocumentBatch } from './features/documents/document-batch.js';
import { DocumentCommands } from './features/documents/document-commands.js';
import { DocumentUploads } from './features/documents/document-uploads.js';
import { FolderWatch } from './features/folder/folder-watch.js';
import { Presets } from './features/presets/presets.js';
import type { DocumentOutcome } from './features/import/photo-importer.js';
import { UploadOnSave } from './features/on-save/upload-on-save.js';
import { UploadHistory } from './features/history/upload-history.js';
import { detectProblem } from './features/import/file-type-check.js';
import { Pictures } from './features/pictures/pictures.js';
import { PhotoStore } from './features/queue/photo-store.js';
import { queueFacts, QueueReports } from './features/reports/queue-report.js';
import { UploadManager } from './features/uploads/upload-manager.js';
import { UploadQueue } from './features/queue/upload-queue.js';

/** The panel waits this long for its texts, in milliseconds. */
const MAX_READING_MS = 500;

/** The plugin without its user interface: its state and its actions. */
export interface Plugin {
  readonly stores: PanelStores;
  readonly uploads: UploadManager;
  readonly signIn: DeviceSignIn;
  /** The texts in the language of the app. */
  readonly translations: ReadableObservable<Translations>;
  /** Settles when the texts are final; null when they are. May never settle. */
  readonly readingTranslations: Promise<void> | null;
  readonly commands: DocumentCommands;
  readonly actions: PanelActions;
  /** A text for support about the plugin's state, without anything secret or private. */
  diagnostics(): string;
  /** Restores the state of an earlier run and continues. Never fails: errors become part of the state. */
  restore(): Promise<void>;
  /** Records and logs an uncaught error. */
  onUnexpectedError(error: unknown): void;
}

/** The parts that do the work. */
interface Parts {
  readonly session: Session;
  readonly revocations: Revocations;
  readonly account: CurrentAccount;
  readonly owner: ConnectedOwner;
  readonly device: Device;
  readonly signIn: DeviceSignIn;
  readonly queue: RequestQueue;
  readonly uploadQueue: UploadQueue;
  readonly uploads: UploadManager;
  readonly history: UploadHistory;
  readonly presets: Presets;
  readonly documents: DocumentUploads;
  readonly onSave: UploadOnSave;
  readonly destinations: Destinations;
  readonly shareLinks: ShareLinks;
  readonly receipts: Receipts;
  readonly openDocument: OpenDocumentWatch;
  readonly pictures: Pictures;
  readonly folderWatch: FolderWatch;
  readonly reports: QueueReports;
}

/** Builds the plugin's parts for a host and wires them. Reads only texts of the package yet. */
export function createPlugin(host: Host, settings: BuildSettings): Plugin {
  const { clock } = host;
  const redactor = new Redactor();
  const errors = new ErrorLog(clock);
  const startedAt = clock.now();
  const onUnexpectedError = (thrown: unknown): void => {
    const error = toCwError(thrown, 'CW-901', 'an unexpected error');
    errors.note(error);
    console.error(redactor.redact(error.message));
  };
  const { translations, reading } = loadTranslations(
    host.info.uiLocale,
    (path) => host.readOwnFile(path),
    onUnexpectedError,
  );
  const parts = createParts(host, settings, redactor, errors, translations, onUnexpectedError);
  const { session, signIn, uploads, documents, onSave } = parts;
  const batch = new DocumentBatch(documents);
  const isRestored = new Observable(false);
  const commands = new DocumentCommands({
    ...parts,
    exporter: host.documentExporter,
    steps: host.actionSteps,
    session: session.state,
    isRestored,
    title: () => translations.get().uploadDocument,
  });
  const stores = { ...storesOf(parts), batch: batch.state };
  errors.watch(stores);

  const diagnostics = (): string =>
    redactor.redact(
      diagnosticsText({
        host: host.info,
        stores,
        errors: errors.entries,
        service: settings.client.origin.origin,
        startedAt,
        now: clock.now(),
      }),
    );

  followSession(parts, onUnexpectedError);
  host.onAwake(() => {
    try {
      retryAll(parts);
    } catch (error) {
      onUnexpectedError(error);
    }
  });

  return {
    stores,
    uploads,
    signIn,
    translations,
    readingTranslations: reading,
    commands,
    diagnostics,
    actions: createPanelActions({
      host,
      client: settings.client,
      session,
      signIn,
      uploads,
      documents,
      batch,
      onSave,
      commands,
      device: parts.device,
      destinations: parts.destinations,
      shareLinks: parts.shareLinks,
      receipts: parts.receipts,
      folderWatch: parts.folderWatch,
      presets: parts.presets,
      onUnexpectedError,
    }),
    async restore() {
      void parts.openDocument.refresh();
      // Neither waits for the other: a long list must not delay the sign-in, nor a slow store the list.
      const restoreSession = async (): Promise<void> => {
        await session.load();
        await signIn.resume();
      };
      const restoreUploads = async (): Promise<void> => {
        await uploads.restore();
        isRestored.set(true);
        parts.folderWatch.start();
        await onSave.onRestored();
      };
      await Promise.all([
        restoreUploads().catch(onUnexpectedError),
        restoreSession().catch(onUnexpectedError),
      ]);
    },
    onUnexpectedError,
  };
}

/** Passes every change of the session to the uploads and the account. */
function followSession(
  {
    session,
    account,
    owner,
    uploads,
    destinations,
    openDocument,
    onSave,
    folderWatch,
    reports,
  }: Parts,
  onUnexpectedError: (error: unknown) => void,
): void {
  owner.subscribe(() => {
    void onSave.onAccount().catch(onUnexpectedError);
  });
  session.state.subscribe((state) => {
    if (state.kind === 'signed-in') {
      openDocument.start();
      uploads.onSignedIn();
      destinations.onSignedIn();
      reports.onSignedIn();
      void account.onSignedIn();
      folderWatch.scheduleScan();
      return;
    }
    openDocument.stop();
    if (state.kind === 'signed-out') {
      void account.clear();
      destinations.onSignedOut();
      void uploads.onSignedOut().catch(onUnexpectedError);
    } else {
      uploads.onSessionEnded();
    }
  });
}

/** Tries at once whatever waits: after sleep the network is likely to be another one, or back again. */
function retryAll({ queue, signIn, revocations, folderWatch }: Parts): void {
  queue.retryNow();
  signIn.checkNow();
  revocations.retryNow();
  folderWatch.scheduleScan();
}

function createParts(
  host: Host,
  settings: BuildSettings,
  redactor: Redactor,
  errors: ErrorLog,
  translations: ReadableObservable<Translations>,
  onUnexpectedError: (error: unknown) => void,
): Parts {
  const { clock, secrets } = host;
  const { client, smallConcurrency } = settings;
  const random = (): number => randomFraction(host.randomBytes);
  const send = createTransport({
    createXhr: () => host.createXhr(),
    clock,
    origin: client.origin,
  });
  const oauth = { send, client, secrets, clock, random, redactor };
  const revocations = new Revocations(oauth);
  const session = new Session({
    ...oauth,
    revocations,
    randomBytes: host.randomBytes,
    instanceId: randomId(host.randomBytes),
    onRefreshed: () => {
      void account.onRefreshed();
    },
  });
  const queue = new RequestQueue({
    send,
    session,
    clock,
    random,
    concurrency: smallConcurrency,
  });
  const account = new CurrentAccount({
    queue,
    session,
    secrets,
    address: `${client.baseUrl}/api/v1/me`,
    onDeviceName: (name) => {
      device.onReported(name);
    },
  });
  const device = new Device({
    records: host.records,
    newId: () => randomId(host.randomBytes),
    kind: computerKind(host.info),
    requests: queue,
    endpoint: `${client.baseUrl}/api/v1/connection`,
    isConnected: () => owner.get() !== null,
  });
  const owner = new ConnectedOwner(session, account);
  const { uploads, ...rest } = createUploads(
    host,
    settings,
    { session, queue, account, owner, device },
    errors,
    translations,
  );
  const { ownership } = uploads;
  const signIn: DeviceSignIn = new DeviceSignIn({
    ...oauth,
    session: new AccountSwitch({ session, ownership, onUnexpectedError }),
    openInBrowser: (url) => host.openInBrowser(signInPage(url, host.info, signIn)),
    grantedScopes: () => account.state.get()?.scopes ?? null,
    deviceDetails: () => deviceDetails(host.info, device.identify()),
  });
  const shareLinks = new ShareLinks({
    requests: queue,
    endpoint: `${client.baseUrl}/api/v1/shares`,
    account,
    isOwnAddress: (address) => isOnOrigin(address, client.origin),
  });
  return {
    session,
    revocations,
    account,
    owner,
    device,
    signIn,
    queue,
    uploads,
    shareLinks,
    ...rest,
  };
}

function computerKind({ os, appName }: HostInfo): string {
  return os.startsWith('macOS') ? 'Mac' : os.startsWith('Windows') ? 'Windows PC' : appName;
}

function deviceDetails(
  { appName, appVersion, os, pluginVersion }: HostInfo,
  device: DeviceIdentity | null,
): DeviceDetails {
  return {
    id: device?.id ?? null,
    name: device?.name ?? null,
    app: `${appName} ${appVersion}`.trim(),
    os,
    softwareVersion: pluginVersion,
  };
}

/**
 * The address of the sign-in page with parameters of OpenID Connect Core §3.1.2.1. A service may ignore them.
 * `ui_locales`: the page's buttons have the names that the panel uses. `prompt`: for another account, the page does not
 * take the one that is signed in.
 */
function signInPage(
  url: string,
  { uiLocale }: HostInfo,
  { isAccountSwitch, requestedScope }: DeviceSignIn,
): string {
  const page = withParameter(url, 'ui_locales', languageFor(uiLocale));
  const isForAnother = isAccountSwitch && requestedScope === null;
  return isForAnother ? withParameter(page, 'prompt', 'select_account') : page;
}

function createUploads(
  host: Host,
  { client, concurrency, smallConcurrency, chunkBytes }: BuildSettings,
  {
    session,
    queue,
    account,
    owner,
    device,
  }: Pick<Parts, 'session' | 'queue' | 'account' | 'owner' | 'device'>,
  errors: ErrorLog,
  translations: ReadableObservable<Translations>,
): Pick<
  Parts,
  | 'uploadQueue'
  | 'uploads'
  | 'history'
  | 'presets'
  | 'documents'
  | 'onSave'
  | 'destinations'
  | 'openDocument'
  | 'pictures'
  | 'folderWatch'
  | 'reports'
  | 'receipts'
> {
  const { clock, records, spool, randomBytes, documentExporter } = host;
  const { openDocument: port, pictureScaler: scaler, folders } = host;
  const endpoint = `${client.baseUrl}/api/v1/uploads`;
  const now = (): number => clock.now();
  const isOwnAddress = (address: string): boolean => isOnOrigin(address, client.origin);
  const history = new UploadHistory({ records, now, owner, isOwnAddress });
  const newId = (): string => randomId(randomBytes);
  const photoStore = new PhotoStore({
    records,
    spool,
    now,
    newId,
    storeHistory: () => history.save(),
  });
  const uploadQueue = new UploadQueue({ photoStore, checksForDuplicates: true });
  const pictures = new Pictures({ spool, clock, scaler, itemOf: (id) => uploadQueue.get(id) });
  const presets = new Presets({ records, offers: documentExporter?.offers ?? [], newId });
  const capabilities = new CapabilityProbe({ queue, endpoint });
  const destinations = new Destinations({
    requests: queue,
    capabilities,
    endpoint: `${client.baseUrl}/api/v1/projects`,
    account,
    owner,
    records,
    photoStore,
  });
  const openDocument = new OpenDocumentWatch({
    port,
    history,
    answers: new ClientAnswers({
      requests: queue,
      capabilities,
      endpoint,
      owner,
      isOwnAddress,
    }),
    onDocument: (document) => {
      destinations.setDocument(document);
    },
  });
  const uploads: UploadManager = new UploadManager({
    queue: uploadQueue,
    photoStore,
    history,
    onRestored: (others) => {
      device.restore(others);
      presets.restore(others);
      onSave.restore(others);
      folderWatch.restore(others);
      reports.restore(others);
    },
    onFound: (found) => folderWatch.claimOrphans(found),
    reopenPhoto: (token) => host.reopenPhoto(token),
    destinations,
    requests: queue,
    records,
    spool,
    clock,
    random: () => randomFraction(randomBytes),
    capabilities,
    endpoint,
    chunkBytes,
    concurrency,
    smallConcurrency,
    owner,
    account,
    newId,
    detectProblem: detectProblem,
    identify: (id, size) => pictures.identify(id, size),
    onFailure: (error) => {
      errors.note(error);
    },
  });
  const folderWatch = new FolderWatch({
    port: folders,
    records,
    spool,
    clock,
    newId,
    queue: uploadQueue,
    photoStore,
    history,
    addCopied: (copied, isChecked, photoOwner) => uploads.addCopied(copied, isChecked, photoOwner),
    photoOwner: () => uploads.ownership.ownerForNewPhotos(),
    identify: (id, size) => pictures.identify(id, size),
    owner,
    project: () => destinations.forNewPhotos(),
  });
  account.state.subscribe(() => {
    folderWatch.scheduleScan();
  });
  const receipts = new Receipts({
    requests: queue,
    capabilities,
    endpoint: `${client.baseUrl}/api/v1/receipts`,
    account,
  });
  const reports: QueueReports = new QueueReports({
    requests: queue,
    capabilities,
    endpoint: `${client.baseUrl}/api/v1/devices`,
    clock,
    records,
    device,
    isConnected: () => owner.get() !== null,
    facts: () => queueFacts(uploadQueue.slice(0, Infinity), uploads.state.get()),
    changes: [uploadQueue.summary, uploads.state],
  });
  const documents = new DocumentUploads({
    host,
    uploads,
    queue: uploadQueue,
    history,
    presetName: (preset) => presetName(translations.get(), preset),
    destination: () => destinations.forNewPhotos(),
    now,
  });
  const onSave: UploadOnSave = new UploadOnSave({
    saves: host.documentSaves,
    openDocument: port,
    exporter: documentExporter,
    documents,
    destinations,
    presets,
    records,
    photoStore,
    clock,
    owner,
    isSignedOut: () => session.state.get().kind === 'signed-out',
    title: () => translations.get().uploadDocument,
    onFailure: (error) => {
      errors.note(error);
    },
  });
  openDocument.state.subscribe((state) => {
    onSave.onFront(state?.document ?? null);
  });
  presets.state.subscribe(() => {
    onSave.update();
  });
  return {
    uploadQueue,
    uploads,
    history,
    presets,
    documents,
    onSave,
    destinations,
    openDocument,
    pictures,
    folderWatch,
    reports,
    receipts,
  };
}

function storesOf(parts: Parts): Omit<PanelStores, 'batch'> {
  const { session, account, signIn, queue, uploadQueue, uploads, history } = parts;
  const { destinations, shareLinks, openDocument } = parts;
  return {
    session: session.state,
    account: account.state,
    signIn: signIn.state,
    isForAnother: () => signIn.isAccountSwitch,
    queue: queue.state,
    uploadState: uploads.state,
    summary: uploadQueue.summary,
    photos: (start, count) => uploadQueue.slice(start, count),
    history: history.changes,
    delivered: () => history.photos(),
    destinations: destinations.state,
    sharing: shareLinks.access,
    receipts: parts.receipts.isOffered,
    openDocument: openDocument.state,
    pictures: parts.pictures,
    requestedScope: () => signIn.requestedScope,
    device: parts.device.state,
    lastReportAt: () => parts.reports.lastSentAt,
    presets: parts.presets.state,
    onSave: parts.onSave.state,
    ...(parts.folderWatch.isOffered && { folder: parts.folderWatch.state }),
  };
}

/** Starts the plugin in its host: the panel at once, then what an earlier run left. Reads no file synchronously. */
export function startPlugin(host: Host, settings: BuildSettings, mount: MountPanel): void {
  const plugin = createPlugin(host, settings);
  // The browser's platform is no version number, so it never counts as too old.
  const isUnsupported = isOlder(host.info.platform, MIN_UXP_VERSION);
  mountPanel(host, plugin, isUnsupported, mount);
  if (!isUnsupported) {
    void plugin.restore();
  }
}

function mountPanel(host: Host, plugin: Plugin, isUnsupported: boolean, mount: MountPanel): void {
  const onUnexpectedError = (error: unknown): void => {
    plugin.onUnexpectedError(error);
  };
  const options = {
    clock: host.clock,
    translations: plugin.translations,
    stores: plugin.stores,
    uploads: plugin.uploads,
    signIn: plugin.signIn,
    actions: plugin.actions,
    host,
    exportOffers: host.documentExporter?.offers ?? [],
    recordsSteps: host.actionSteps !== null,
    isUnsupported,
    diagnostics: () => plugin.diagnostics(),
    onUnexpectedError,
  };
  const panel = new Panel(options);
  const menu = panelMenu({
    ...options,
    disconnect: () => panel.disconnect(),
    copyDiagnostics: () => panel.copyDiagnostics(),
    onUnexpectedError: (error) => {
      panel.reportError(error);
    },
  });
  mount(
    {
      menu: isUnsupported ? [] : menu,
      show: (root) => {
        // What the shell shows already is in the language of the app.
        afterReading(plugin.readingTranslations, host.clock, () => {
          panel.show(root);
        });
      },
    },
    commandEntries(host, plugin),
  );
}

/** Calls `then` when the texts have been read, or in English when that takes too long; at once if there is nothing to read. */
function afterReading(reading: Promise<void> | null, clock: Clock, then: () => void): void {
  if (reading === null) {
    then();
    return;
  }
  let isOver = false;
  const finish = (): void => {
    if (!isOver) {
      isOver = true;
      stop();
      then();
    }
  };
  const stop = clock.startTimer(MAX_READING_MS, finish);
  void reading.then(finish);
}

/** The commands in the app's menu. The panel may be closed, so a failure is shown over the app, too. */
function commandEntries(host: Host, plugin: Plugin): readonly CommandEntry[] {
  const { commands, translations } = plugin;
  let isShowing = false;
  const entry = (id: CommandEntry['id'], work: () => Promise<DocumentOutcome>): CommandEntry => ({
    id,
    run: async () => {
      try {
        const outcome = await work();
        // One message at a time: a batch may fail for all its documents.
        if (outcome instanceof CwError && !isShowing) {
          isShowing = true;
          const { documentTitle, errors } = translations.get();
          await host.showMessage(`${documentTitle}\n${errors[outcome.code]} (${outcome.code})`);
          isShowing = false;
        }
      } catch (error) {
        plugin.onUnexpectedError(error);
      }
    },
  });
  return [
    entry('uploadDocument', () => commands.uploadFront()),
    entry('uploadAllDocuments', () => commands.uploadAll()),
  ];
}
