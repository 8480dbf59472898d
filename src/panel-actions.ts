import type { Device } from './features/device/device.js';
import { CwError } from './util/errors.js';
import type { DocumentBatch } from './features/documents/document-batch.js';
import { FRONT_DOCUMENT, type DocumentUploads } from './features/documents/document-uploads.js';
import type { DocumentCommands } from './features/documents/document-commands.js';
import type { UploadOnSave } from './features/on-save/upload-on-save.js';
import { parseHttpUrl, type HttpUrl } from './util/url.js';
import type { Host } from './host/host.js';
import type { OAuthClient } from './oauth/client.js';
import type { Session } from './oauth/session/session.js';
import type { DeviceSignIn } from './oauth/device-flow/sign-in.js';
import type { PanelActions } from './panel/view.js';
import type { Destinations } from './features/destinations/destinations.js';
import type { FolderWatch } from './features/folder/folder-watch.js';
import type { Presets } from './features/presets/presets.js';
import type { Receipts } from './features/receipts/receipts.js';
import type { ShareLinks } from './features/links/share-links.js';
import type { UploadManager } from './features/uploads/upload-manager.js';

interface ActionDeps {
  readonly host: Host;
  readonly client: OAuthClient;
  readonly session: Pick<Session, 'disconnect'>;
  readonly signIn: Pick<DeviceSignIn, 'isAccountSwitch' | 'cancel'>;
  readonly destinations: Pick<Destinations, 'load' | 'select' | 'create' | 'forNewPhotos'>;
  readonly receipts: Pick<Receipts, 'create'>;
  readonly shareLinks: Pick<ShareLinks, 'create' | 'list' | 'revoke'>;
  readonly uploads: Pick<UploadManager, 'addPhotos'>;
  readonly documents: Pick<DocumentUploads, 'upload'>;
  readonly folderWatch: Pick<FolderWatch, 'choose' | 'setProject' | 'setMovesUploaded' | 'stop'>;
  readonly batch: Pick<DocumentBatch, 'upload' | 'cancel' | 'dismiss'>;
  readonly presets: Pick<Presets, 'choose' | 'save' | 'duplicate' | 'remove'>;
  readonly onSave: Pick<
    UploadOnSave,
    'choose' | 'switchOff' | 'choosePreset' | 'retry' | 'dismiss'
  >;
  readonly commands: Pick<DocumentCommands, 'record'>;
  readonly device: Pick<Device, 'rename'>;
  /** Receives errors that occur after an action has returned. */
  readonly onUnexpectedError: (error: unknown) => void;
}

/** Makes the actions of the panel that combine several parts of the plugin. */
export function createPanelActions({
  host,
  client: { origin, baseUrl },
  session,
  signIn,
  uploads,
  documents,
  destinations,
  receipts,
  shareLinks,
  folderWatch,
  batch,
  presets,
  onSave,
  commands,
  device,
  onUnexpectedError,
}: ActionDeps): PanelActions {
  return {
    // Adding is not awaited, so that the button is free again as soon as the picker has closed.
    addPhotos: async () => {
      const photos = await host.pickPhotos();
      void uploads.addPhotos(photos).catch(onUnexpectedError);
    },
    uploadDocument: async (preset, title) => {
      await documents.upload({ preset, target: FRONT_DOCUMENT, title });
    },
    openDocuments: async () => (await host.documentExporter?.documents()) ?? [],
    uploadDocuments: (entries, preset, title) =>
      // The destination of this moment, even if another one is chosen during the exports.
      batch.upload(entries, { preset, title, project: destinations.forNewPhotos() }),
    cancelDocuments: () => {
      batch.cancel();
    },
    dismissDocuments: () => {
      batch.dismiss();
    },
    choosePreset: (id) => presets.choose(id),
    appPresets: async () => (await host.documentExporter?.listAppPresets?.()) ?? [],
    pickAppPreset: async () => (await host.documentExporter?.pickAppPreset?.()) ?? null,
    savePreset: (preset) => presets.save(preset),
    duplicatePreset: (preset, name) => presets.duplicate(preset, name),
    removePreset: (id) => presets.remove(id),
    chooseOnSave: (mode, documentId) => onSave.choose(mode, documentId),
    switchOnSaveOff: () => onSave.switchOff(),
    chooseOnSavePreset: (id) => onSave.choosePreset(id),
    retrySave: (documentId) => onSave.retry(documentId),
    dismissSave: (documentId) => onSave.dismiss(documentId),
    recordStep: (name, preset) => commands.record(name, preset, destinations.forNewPhotos()),
    openPage: async (address) => {
      if (!isOnOrigin(address, origin)) {
        throw new CwError('CW-304', 'a page that is not on the service’s own origin');
      }
      await host.openInBrowser(address);
    },
    openPhotos: () => host.openInBrowser(`${baseUrl}/photos`),
    loadDestinations: () => destinations.load(),
    selectDestination: (project) => destinations.select(project),
    createProject: (name) => destinations.create(name),
    createShareLink: (target, options) => shareLinks.create(target, options),
    saveReceipt: (target, name) =>
      host.saveFile(receiptName(name, host.clock.now()), () => receipts.create(target)),
    shareLinks: (target) => shareLinks.list(target),
    revokeShareLink: (id) => shareLinks.revoke(id),
    chooseFolder: () => folderWatch.choose(),
    setFolderProject: (project) => folderWatch.setProject(project),
    setFolderMoves: (moves) => folderWatch.setMovesUploaded(moves),
    stopFolder: () => folderWatch.stop(),
    renameDevice: (name) => device.rename(name),
    disconnect: async () => {
      if (signIn.isAccountSwitch) {
        signIn.cancel();
      }
      await session.disconnect();
    },
  };
}

/** Longer names of photos and projects are cut. UTF-16 code units. */
const MAX_SUBJECT_LENGTH = 80;

/** The suggested name of a receipt: its subject, without what file systems refuse, and the day. */
function receiptName(subject: string, now: number): string {
  const plain = subject.slice(0, MAX_SUBJECT_LENGTH).replace(/[\p{Cc}\\/:*?"<>|]/gu, '_');
  return `receipt-${plain}-${new Date(now).toISOString().slice(0, 10)}.jws`;
}

/** Whether an address is on the service's origin, so that a browser may open it. */
export function isOnOrigin(address: string, { origin }: HttpUrl): boolean {
  return parseHttpUrl(address)?.origin === origin;
}
