import { openConnection } from './account/connection.js';
import { MIN_UXP_VERSION, type BuildSettings } from './config.js';
import { startDestinations } from './features/destinations/index.js';
import { startDevice } from './features/device/index.js';
import { startDocuments } from './features/documents/index.js';
import { startFeedback } from './features/feedback/index.js';
import { startFolder } from './features/folder/index.js';
import { startHistory } from './features/history/index.js';
import { startLibrary } from './features/library/index.js';
import { startLinks } from './features/links/index.js';
import { startOnSave } from './features/on-save/index.js';
import { startPlacedFiles, startPlacements } from './features/placed-files/index.js';
import { startPlacing } from './features/placing/index.js';
import { startPictures } from './features/pictures/index.js';
import { startPresets } from './features/presets/index.js';
import { startQueue } from './features/queue/index.js';
import { startReceipts } from './features/receipts/index.js';
import { startReports } from './features/reports/index.js';
import { startSelects } from './features/selects/index.js';
import { startSignIn } from './features/sign-in/index.js';
import { startUploads } from './features/uploads/index.js';
import type { Host } from './host/host.js';
import type { MountPanel } from './host/panel-entry.js';
import { mountPanel } from './panel/mount.js';
import { joinParts } from './panel/parts.js';
import { startSupport } from './panel/support.js';
import type { PanelParts } from './panel/view.js';
import { loadTranslations } from './ui/i18n/load-translations.js';
import type { PartSources } from './ui/view.js';
import { Observable } from './util/observable.js';
import { isOlder } from './util/version.js';

/** The plugin without its user interface: its state and its actions. */
export type Plugin = ReturnType<typeof createPlugin>;

/** Starts the features for a host and joins them. Reads only texts of the package yet. */
export function createPlugin(host: Host, settings: BuildSettings) {
  const support = startSupport(host, settings.client.origin.origin);
  const { onFailure, onUnexpectedError } = support;
  const { translations, reading } = loadTranslations(
    host.info.uiLocale,
    (path) => host.readOwnFile(path),
    onUnexpectedError,
  );
  const connection = openConnection({
    host,
    client: settings.client,
    redactor: support.redactor,
    concurrency: settings.smallConcurrency,
    onDeviceName: (name) => {
      device.onReported(name);
    },
  });
  const { session, requests, account } = connection;
  const { device, panel: devicePanel } = startDevice(host, connection);
  const { history, panel: historyPanel } = startHistory(host, connection);
  const { photoStore, queue } = startQueue(host, () => history.save());
  const { pictures, panel: picturesPanel } = startPictures(host, connection, queue);
  const { presets, panel: presetsPanel } = startPresets(host);
  const { destinations, panel: destinationsPanel } = startDestinations(
    host,
    connection,
    photoStore,
  );
  const { uploads, panel: uploadsPanel } = startUploads(host, connection, {
    ...settings,
    queue,
    photoStore,
    history,
    destinations,
    pictures,
    onRestored: (others) => {
      for (const feature of [
        device,
        presets,
        onSave,
        folder,
        reports,
        feedback,
        placed,
        placements,
        library,
        placing,
        selects,
      ]) {
        feature.restore(others);
      }
    },
    claimOrphans: (orphans) => folder.claimOrphans(orphans),
    onFailure,
    onUnexpectedError,
  });
  const { folder, panel: folderPanel } = startFolder(host, connection, {
    queue,
    photoStore,
    history,
    uploads,
    pictures,
    destinations,
  });
  const { placements, linked } = startPlacements(host, connection, history);
  const isRestored = new Observable(false);
  const { documents, openDocument, ...commands } = startDocuments(host, connection, {
    importer: uploads.importer,
    queue,
    history,
    placements,
    destinations,
    presets,
    isRestored,
    translations,
    onUnexpectedError,
  });
  const { feedback, panel: feedbackPanel } = startFeedback(host, connection, openDocument);
  const { library, panel: libraryPanel } = startLibrary(host, connection);
  const { placing, panel: placingPanel } = startPlacing(
    host,
    connection,
    openDocument,
    translations,
  );
  const { selects, panel: selectsPanel } = startSelects(host, connection, translations);
  const { placed, panel: placedPanel } = startPlacedFiles(
    host,
    connection,
    linked,
    openDocument,
    placing,
    translations,
  );
  const { onSave, panel: onSavePanel } = startOnSave(host, connection, {
    documents,
    openDocument,
    destinations,
    presets,
    photoStore,
    translations,
    onFailure,
    onUnexpectedError,
  });
  const reported = { device, queue, uploads };
  const { reports, panel: reportsPanel } = startReports(host, connection, reported);
  const { signIn, panel: signInPanel } = startSignIn(host, connection, {
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
    startLinks(connection).panel,
    startReceipts(host, connection).panel,
    commands.panel,
    feedbackPanel,
    placedPanel,
    libraryPanel,
    placingPanel,
    selectsPanel,
    presetsPanel,
    onSavePanel,
    folderPanel,
    reportsPanel,
  ]);
  session.state.subscribe((state) => {
    if (state.kind === 'signed-in') {
      uploads.onSignedIn();
      void account.onSignedIn();
    } else if (state.kind === 'signed-out') {
      void account.clear();
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
    entries: commands.entries,
    /** A text for support about the plugin's state, without anything secret or private. */
    diagnostics: support.watch(panel.state),
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
