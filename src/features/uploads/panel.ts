import type { PicturesPanel } from '../pictures/index.js';
import type { HistoryNeeds } from '../history/index.js';
import type { DestinationsNeeds } from '../destinations/index.js';
import type { CircuitState } from '../../api/circuit-breaker.js';
import type { PanelPart, ViewContext, ViewProps, ViewState } from '../../ui/view.js';
import type { UploadItem, UploadSummary } from '../queue/index.js';
import type { Progress } from './progress.js';
import type { UploadManager, UploadManagerState } from './upload-manager.js';

/** The buttons' calls to the uploads. */
export type UploadControls = Pick<
  UploadManager,
  | 'pause'
  | 'resume'
  | 'retry'
  | 'retryFailed'
  | 'makeNext'
  | 'remove'
  | 'removeAll'
  | 'removeFailed'
  | 'clearUploaded'
  | 'undoRemoval'
  | 'clearHistory'
  | 'answerQuestion'
  | 'answerOrphans'
  | 'dismissNotAdded'
  | 'setDestination'
  | 'retryStorage'
> & {
  readonly importer: Pick<UploadManager['importer'], 'cancel' | 'dismissRejected'>;
  readonly duplicates: Pick<UploadManager['duplicates'], 'answer'>;
  readonly versions: Pick<UploadManager['versions'], 'undo' | 'dismiss'>;
};

export interface UploadsPanel extends PanelPart {
  readonly state: {
    /** Whether requests are sent. */
    readonly queue: CircuitState;
    readonly uploadState: UploadManagerState;
    readonly summary: UploadSummary;
    /** The photos of the list. */
    readonly photos: readonly UploadItem[];
  };
  readonly context: {
    readonly uploads: UploadControls;
    readonly actions: {
      /** Opens the picker and starts to add the chosen photos. Settles when the picker has closed. */
      addPhotos(): Promise<void>;
    };
  };
}

/** What the panel derives from the list while it is open. */
export interface ListView extends PanelPart {
  readonly state: {
    readonly progress: Progress;
    /** The last removal, while it can be undone here. */
    readonly removal: UploadManagerState['removal'];
  };
  readonly context: object;
}

/** The parts that the views of this feature need. */
export type UploadsNeeds = UploadsPanel &
  ListView &
  HistoryNeeds &
  DestinationsNeeds &
  PicturesPanel & {
    readonly state: { readonly batch: { readonly total: number } };
    readonly context: object;
  };
export type Props = ViewProps<UploadsNeeds>;
export type Context = ViewContext<UploadsNeeds>;
export type State = ViewState<UploadsNeeds>;
