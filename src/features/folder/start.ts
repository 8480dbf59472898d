import type { PartSources } from '../../ui/view.js';
import { FolderWatch, type FolderWatchOptions } from './folder-watch.js';
import type { FolderPanel } from './panel.js';

export function startFolder(options: FolderWatchOptions): {
  readonly folder: FolderWatch;
  readonly panel: PartSources<FolderPanel>;
} {
  const folder = new FolderWatch(options);
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
