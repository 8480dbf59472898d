import { openConnection } from './account/connection.js';
import { CapabilityProbe } from './api/tus-capabilities.js';
import { MIN_UXP_VERSION, type BuildSettings } from './config.js';
import { startDestinations } from './features/destinations/index.js';
import { startDevice } from './features/device/index.js';
import { startDocuments } from './features/documents/index.js';
import { startFolder } from './features/folder/index.js';
import { startHistory } from './features/history/index.js';
import { startLinks } from './features/links/index.js';
import { startOnSave } from './features/on-save/index.js';
import { startPictures } from './features/pictures/index.js';
import { startPresets } from './features/presets/index.js';
import { startQueue } from './features/queue/index.js';
import { startReceipts } from './features/receipts/index.js';
import { startReports } from './features/reports/index.js';
import { startSignIn } from './features/sign-in/index.js';
import { startUploads } from './features/uploads/index.js';
import type { Host, MountPanel } from './host/host.js';
import { diagnosticsText } from './panel/diagnostics.js';
import { ErrorLog } from './panel/error-log.js';
import { mountPanel } from './panel/mount.js';
import { joinParts } from './panel/parts.js';
import type { PanelParts } from './panel/view.js';
import { loadTranslations } from './ui/i18n/load-translations.js';
import type { PartSources } from './ui/view.js';
import { toCwError } from './util/errors.js';
import { Observable } from './util/observable.js';
import { randomId } from './util/random-id.js';
import { Redactor } from './util/redact.js';
import { isOnOrigin } from './util/url.js';
import { isOlder } from './util/version.js';

/** The plugin without its user interface: its state and its actions. */
export type Plugin = ReturnType<typeof createPlugin>;

/** Starts the features for a host and joins them. Reads only texts of the package yet. */
export function createPlugin(host: Host, settings: BuildSettings) {
  const { clock, records, spool } = host;
  const { client } = settings;
  const redactor = new Redactor();
  const errors = new ErrorLog(clock);
  const startedAt = clock.now();
  const noteError = (error: unknown): void => {
    errors.note(error);
  };
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
  const api = `${client.baseUrl}/api/v1`;
  const endpoint = `${api}/uploads`;
  const now = (): number => clock.now();
  const newId = (): string => randomId(host.randomBytes);
  const isOwnAddress = (address: string): boolean => isOnOrigin(address, client.origin);

  const connection = openConnection({
    host,
    client,
    redactor,
    concurrency: settings.smallConcurrency,
    onDeviceName: (name) => {
      device.onReported(name);
    },
  });
  const { session, requests, account, owner } = connection;
  const isConnected = (): boolean => owner.get() !== null;
  const capabilities = new CapabilityProbe({ queue: requests, endpoint });
  const { device, panel: devicePanel } = startDevice({
    host,
    requests,
    endpoint: `${api}/connection`,
    isConnected,
  });
  const { history, panel: historyPanel } = startHistory({ records, now, owner, isOwnAddress });
  const { photoStore, queue } = startQueue(host, () => history.save());
  const { pictures, panel: picturesPanel } = startPictures({
    spool,
    clock,
    scaler: host.pictureScaler,
    itemOf: (id) => queue.get(id),
  });
  const { presets, panel: presetsPanel } = startPresets(host);
  const { destinations, panel: destinationsPanel } = startDestinations({
    requests,
    capabilities,
    endpoint: `${api}/projects`,
    account,
    owner,
    records,
    photoStore,
  });
  const { uploads, panel: uploadsPanel } = startUploads({
    host,
    queue,
    photoStore,
    history,
    destinations,
    requests,
    capabilities,
    endpoint,
    chunkBytes: settings.chunkBytes,
    concurrency: settings.concurrency,
    smallConcurrency: settings.smallConcurrency,
    owner,
    account,
    identify: (id, size) => pictures.identify(id, size),
    onRestored: (others) => {
      for (const feature of [device, presets, onSave, folder, reports]) {
        feature.restore(others);
      }
    },
    onFound: (found) => folder.claimOrphans(found),
    onFailure: noteError,
    onUnexpectedError,
  });
  const { folder, panel: folderPanel } = startFolder({
    port: host.folders,
    records,
    spool,
    clock,
    newId,
    queue,
    photoStore,
    history,
    addCopied: (copied, isChecked, photoOwner) => uploads.addCopied(copied, isChecked, photoOwner),
    photoOwner: () => uploads.ownership.ownerForNewPhotos(),
    identify: (id, size) => pictures.identify(id, size),
    owner,
    project: () => destinations.forNewPhotos(),
  });
  const { reports, panel: reportsPanel } = startReports({
    requests,
    capabilities,
    endpoint: `${api}/devices`,
    clock,
    records,
    device,
    isConnected,
    queue,
    uploads,
  });
  const isRestored = new Observable(false);
  const {
    documents,
    openDocument,
    entries,
    panel: documentsPanel,
  } = startDocuments({
    host,
    requests,
    capabilities,
    endpoint,
    owner,
    isOwnAddress,
    uploads,
    queue,
    history,
    destinations,
    presets,
    session: session.state,
    isRestored,
    translations,
    onUnexpectedError,
  });
  const { onSave, panel: onSavePanel } = startOnSave({
    saves: host.documentSaves,
    openDocument: host.openDocument,
    exporter: host.documentExporter,
    documents,
    destinations,
    presets,
    records,
    photoStore,
    clock,
    owner,
    isSignedOut: () => session.state.get().kind === 'signed-out',
    title: () => translations.get().uploadDocument,
    onFailure: noteError,
  });
  const { signIn, panel: signInPanel } = startSignIn({
    host,
    client,
    connection,
    ownership: uploads.ownership,
    device,
    onUnexpectedError,
  });
  const panel: PartSources<PanelParts> = joinParts([
    signInPanel,
    devicePanel,
    uploadsPanel,
    picturesPanel,
    historyPanel,
    destinationsPanel,
    startLinks({ requests, endpoint: `${api}/shares`, account, isOwnAddress }).panel,
    startReceipts({ host, requests, capabilities, endpoint: `${api}/receipts`, account }).panel,
    documentsPanel,
    presetsPanel,
    onSavePanel,
    folderPanel,
    reportsPanel,
  ]);
  errors.watch(panel.state);

  openDocument.state.subscribe((state) => {
    onSave.onFront(state?.document ?? null);
  });
  presets.state.subscribe(() => {
    onSave.update();
  });
  account.state.subscribe(() => {
    folder.scheduleScan();
  });
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
      folder.scheduleScan();
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
  // Whatever waits is tried at once: after sleep the network is likely to be another one, or back again.
  host.onAwake(() => {
    try {
      requests.retryNow();
      signIn.checkNow();
      connection.revocations.retryNow();
      folder.scheduleScan();
    } catch (error) {
      onUnexpectedError(error);
    }
  });

  return {
    uploads,
    signIn,
    translations,
    /** Settles when the texts are final; null when they are. May never settle. */
    readingTranslations: reading,
    panel,
    /** The commands in the app's menu. */
    entries,
    /** A text for support about the plugin's state, without anything secret or private. */
    diagnostics: (): string =>
      redactor.redact(
        diagnosticsText({
          host: host.info,
          stores: panel.state,
          errors: errors.entries,
          service: client.origin.origin,
          startedAt,
          now: clock.now(),
        }),
      ),
    /** Restores the state of an earlier run and continues. Never fails: errors become part of the state. */
    async restore(): Promise<void> {
      void openDocument.refresh();
      // Neither waits for the other: a long list must not delay the sign-in, nor a slow store the list.
      const restoreSession = async (): Promise<void> => {
        await session.load();
        await signIn.resume();
      };
      const restoreUploads = async (): Promise<void> => {
        await uploads.restore();
        isRestored.set(true);
        folder.start();
        await onSave.onRestored();
      };
      await Promise.all([
        restoreUploads().catch(onUnexpectedError),
        restoreSession().catch(onUnexpectedError),
      ]);
    },
    /** Records and logs an uncaught error. */
    onUnexpectedError,
  };
}

/** Starts the plugin in its host: the panel at once, then what an earlier run left. Reads no file synchronously. */
export function startPlugin(host: Host, settings: BuildSettings, mount: MountPanel): void {
  const plugin = createPlugin(host, settings);
  // The browser's platform is no version number, so it never counts as too old.
  const isUnsupported = isOlder(host.info.platform, MIN_UXP_VERSION);
  mountPanel({ ...plugin, host, isUnsupported }, mount);
  if (!isUnsupported) {
    void plugin.restore();
  }
}
