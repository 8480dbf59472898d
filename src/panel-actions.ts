import { CwError } from './util/errors.js';
import { FRONT_DOCUMENT, type DocumentUploads } from './uploads/document-uploads.js';
import { presetOfFormat } from './uploads/presets/preset.js';
import { parseHttpUrl, type HttpUrl } from './util/url.js';
import type { Host } from './host/host.js';
import type { OAuthClient } from './oauth/client.js';
import type { Session } from './oauth/session/session.js';
import type { DeviceSignIn } from './oauth/device-flow/sign-in.js';
import type { PanelActions } from './panel/view.js';
import type { DocumentFormatMemory } from './uploads/document-format.js';
import type { Destinations } from './uploads/destinations/destinations.js';
import type { FolderWatch } from './uploads/folder/folder-watch.js';
import type { ShareLinks } from './uploads/shares/share-links.js';
import type { UploadManager } from './uploads/upload-manager.js';

interface ActionDeps {
  readonly host: Host;
  readonly client: OAuthClient;
  readonly session: Pick<Session, 'disconnect'>;
  readonly signIn: Pick<DeviceSignIn, 'isAccountSwitch' | 'cancel'>;
  readonly destinations: Pick<Destinations, 'load' | 'select' | 'create'>;
  readonly shareLinks: Pick<ShareLinks, 'create' | 'list' | 'revoke'>;
  readonly uploads: Pick<UploadManager, 'addPhotos'>;
  readonly documents: Pick<DocumentUploads, 'upload'>;
  readonly documentFormat: Pick<DocumentFormatMemory, 'remember'>;
  readonly folderWatch: Pick<FolderWatch, 'choose' | 'setProject' | 'setMovesUploaded' | 'stop'>;
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
  shareLinks,
  documentFormat,
  folderWatch,
  onUnexpectedError,
}: ActionDeps): PanelActions {
  return {
    // Adding is not awaited, so that the button is free again as soon as the picker has closed.
    addPhotos: async () => {
      const photos = await host.pickPhotos();
      void uploads.addPhotos(photos).catch(onUnexpectedError);
    },
    uploadDocument: (format, title) =>
      documents.upload({ preset: presetOfFormat(format), target: FRONT_DOCUMENT, title }),
    rememberFormat: (format) => documentFormat.remember(format),
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
    shareLinks: (target) => shareLinks.list(target),
    revokeShareLink: (id) => shareLinks.revoke(id),
    chooseFolder: () => folderWatch.choose(),
    setFolderProject: (project) => folderWatch.setProject(project),
    setFolderMoves: (moves) => folderWatch.setMovesUploaded(moves),
    stopFolder: () => folderWatch.stop(),
    disconnect: async () => {
      if (signIn.isAccountSwitch) {
        signIn.cancel();
      }
      await session.disconnect();
    },
  };
}

/** Whether an address is on the service's origin, so that a browser may open it. */
export function isOnOrigin(address: string, { origin }: HttpUrl): boolean {
  return parseHttpUrl(address)?.origin === origin;
}
