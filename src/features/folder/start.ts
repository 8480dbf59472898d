import type { Connection } from '../../account/connection.js';
import type { Host } from '../../host/host.js';
import { randomId } from '../../util/random-id.js';
import type { Destinations } from '../destinations/index.js';
import type { Pictures } from '../pictures/index.js';
import type { UploadManager } from '../uploads/index.js';
import type { PartSources } from '../../ui/view.js';
import { FolderWatch, type FolderWatchOptions } from './folder-watch.js';
import type { FolderPanel } from './panel.js';

interface StartOptions extends Pick<FolderWatchOptions, 'queue' | 'photoStore' | 'history'> {
  readonly uploads: Pick<UploadManager, 'importer' | 'ownership'>;
  readonly pictures: Pick<Pictures, 'identify'>;
  readonly destinations: Pick<Destinations, 'forNewPhotos'>;
}

export function startFolder(
  host: Pick<Host, 'folders' | 'records' | 'spool' | 'clock' | 'randomBytes'>,
  { session, owner, account }: Pick<Connection, 'session' | 'owner' | 'account'>,
  { uploads, pictures, destinations, ...options }: StartOptions,
): {
  readonly folder: FolderWatch;
  readonly panel: PartSources<FolderPanel>;
} {
  const folder = new FolderWatch({
    ...options,
    port: host.folders,
    records: host.records,
    spool: host.spool,
    clock: host.clock,
    newId: () => randomId(host.randomBytes),
    importer: uploads.importer,
    photoOwner: () => uploads.ownership.ownerForNewPhotos(),
    identify: (id, size) => pictures.identify(id, size),
    owner,
    project: () => destinations.forNewPhotos(),
  });
  account.state.subscribe(() => {
    folder.scheduleScan();
  });
  session.state.subscribe(({ kind }) => {
    if (kind === 'signed-in') {
      folder.scheduleScan();
    }
  });
  return {
    folder,
    panel: {
      state: { folder: folder.isOffered ? folder.state : { get: () => null } },
      context: {
        actions: {
          chooseFolder: () => folder.choose(),
          setFolderProject: (project) => folder.setProject(project),
          setFolderMoves: (moves) => folder.setMovesUploaded(moves),
          stopFolder: () => folder.stop(),
        },
      },
    },
  };
}
