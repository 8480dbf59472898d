import type { DestinationsPanel } from '../features/destinations/index.js';
import type { DevicePanel } from '../features/device/index.js';
import type { DocumentsPanel } from '../features/documents/index.js';
import type { FeedbackPanel } from '../features/feedback/index.js';
import type { FolderPanel } from '../features/folder/index.js';
import type { HistoryLists, HistoryPanel } from '../features/history/index.js';
import type { LibraryPanel } from '../features/library/index.js';
import type { LinksPanel } from '../features/links/index.js';
import type { OnSavePanel } from '../features/on-save/index.js';
import type { PlacedFilesPanel } from '../features/placed-files/index.js';
import type { PicturesPanel } from '../features/pictures/index.js';
import type { PlacingPanel } from '../features/placing/index.js';
import type { PresetsPanel } from '../features/presets/index.js';
import type { ReceiptsPanel } from '../features/receipts/index.js';
import type { ReportsPanel } from '../features/reports/index.js';
import type { SelectsPanel } from '../features/selects/index.js';
import type { SignInNeeds, SignInPanel } from '../features/sign-in/index.js';
import type { ListView, UploadsPanel } from '../features/uploads/index.js';
import type { Covers, PartSources, ViewContext, ViewProps, ViewState, ViewUi } from '../ui/view.js';

/** The features that the panel shows. Its state and its actions follow from this list. */
export type PanelParts = SignInPanel &
  DevicePanel &
  UploadsPanel &
  PicturesPanel &
  HistoryPanel &
  DestinationsPanel &
  LinksPanel &
  ReceiptsPanel &
  DocumentsPanel &
  FeedbackPanel &
  PlacedFilesPanel &
  LibraryPanel &
  PlacingPanel &
  SelectsPanel &
  PresetsPanel &
  OnSavePanel &
  FolderPanel &
  ReportsPanel;

/** What the panel adds itself while it is open. */
interface OpenPanel {
  readonly state: HistoryLists['state'] &
    ListView['state'] &
    Pick<SignInNeeds['state'], 'justApproved'>;
  readonly context: {
    /** Gives the text for support about the plugin's state now. */
    readonly diagnostics: () => string;
    readonly disconnect: () => void | Promise<void>;
  };
}

export type Shown = PanelParts & OpenPanel;
/** Where the panel reads its state. */
export type PanelStores = PartSources<PanelParts>['state'];
/** Everything the panel shows at one moment. */
export type PanelState = ViewState<Shown>;
export type PanelUi = ViewUi & Covers<Shown>;
export type PanelContext = ViewContext<Shown> & { readonly ui: PanelUi };

/** The props of the views of the panel itself. */
export interface PanelProps extends ViewProps<Shown> {
  readonly context: PanelContext;
}

export type ViewName = 'busy' | 'welcome' | 'code' | 'number' | 'connected';

export function viewFor({
  session,
  signIn,
  isForAnother,
}: Pick<PanelState, 'session' | 'signIn' | 'isForAnother'>): ViewName {
  // A sign-in that has just succeeded still shows its code briefly: the session has priority.
  if (session.kind === 'signed-in' && !isForAnother) {
    return 'connected';
  }
  if (signIn.kind === 'code') {
    return signIn.numbers ? 'number' : 'code';
  }
  if (signIn.kind === 'requesting' || session.kind === 'loading') {
    return 'busy';
  }
  return session.kind === 'signed-in' ? 'connected' : 'welcome';
}
