import type { Account } from '../account/current-account.js';
import type { CircuitState } from '../api/circuit-breaker.js';
import type { Clock } from '../util/clock.js';
import type { ReadableObservable } from '../util/observable.js';
import type { DocumentFormat, ExportOffer, Host } from '../host/host.js';
import type { SessionState } from '../oauth/session/token-store.js';
import type { DeviceSignIn, SignInState } from '../oauth/device-flow/sign-in.js';
import type { DestinationState } from '../uploads/destinations/destinations.js';
import type { ProjectRef } from '../uploads/destinations/project.js';
import type { OpenDocumentState } from '../uploads/history/document-state.js';
import type { ServiceAccess } from '../uploads/service-access.js';
import type { ShareLink, ShareOptions, ShareTarget } from '../uploads/shares/share-links.js';
import type { UploadedPhoto } from '../uploads/history/upload-history.js';
import type { UploadManager, UploadManagerState } from '../uploads/upload-manager.js';
import type { UploadItem, UploadSummary } from '../uploads/queue/upload-item.js';
import type { Button, ButtonKind } from './dom.js';
import type { Progress } from './progress.js';
import type { Translations } from './i18n/translations.js';

/** Everything the panel shows at one moment. */
export interface PanelState {
  readonly session: SessionState;
  /** Whose session it is; null while that is not known. */
  readonly account: Account | null;
  readonly signIn: SignInState;
  /** Whether the sign-in is for another account, while the session continues. */
  readonly isForAnother: boolean;
  readonly queue: CircuitState;
  readonly uploadState: UploadManagerState;
  readonly summary: UploadSummary;
  readonly progress: Progress;
  /** A number that changes with the history of uploaded photos. */
  readonly history: number;
  /** Whether a sign-in has succeeded while this panel showed it, and there have been no photos since. */
  readonly justApproved: boolean;
  /** Wall-clock time in milliseconds. */
  readonly now: number;
}

/** What the panel reads. */
export interface PanelStores {
  readonly session: ReadableObservable<SessionState>;
  readonly account: ReadableObservable<Account | null>;
  readonly signIn: ReadableObservable<SignInState>;
  readonly isForAnother: () => boolean;
  readonly queue: ReadableObservable<CircuitState>;
  readonly uploadState: ReadableObservable<UploadManagerState>;
  readonly summary: ReadableObservable<UploadSummary>;
  /** Up to `count` photos from place `start` of the list. */
  photos(start: number, count: number): readonly UploadItem[];
  /** A number that changes with the history of uploaded photos. */
  readonly history: ReadableObservable<number>;
  /** The uploaded photos of the connected account, the newest first. */
  delivered(): readonly UploadedPhoto[];
  readonly destinations: ReadableObservable<DestinationState>;
  /** Whether links can be made. */
  readonly sharing: ReadableObservable<ServiceAccess>;
  /** The app's open document; null when there is none, or the app does not report it. */
  readonly openDocument: ReadableObservable<OpenDocumentState | null>;
  /** The scope that the sign-in under way was begun for; null when it was begun for an account. */
  readonly requestedScope: () => string | null;
}

/** The buttons' calls to the uploads. */
export type UploadControls = Pick<
  UploadManager,
  | 'pause'
  | 'resume'
  | 'cancelAdding'
  | 'retry'
  | 'retryFailed'
  | 'makeNext'
  | 'remove'
  | 'removeAll'
  | 'removeFailed'
  | 'clearArrived'
  | 'undoRemoval'
  | 'clearHistory'
  | 'answerQuestion'
  | 'answerFound'
  | 'answerPrevious'
  | 'setDestination'
  | 'retryStorage'
  | 'dismissRefused'
>;

/** The buttons' calls to the sign-in. */
export type SignInControls = Pick<
  DeviceSignIn,
  'start' | 'startForScope' | 'startOver' | 'cancel' | 'checkNow' | 'openBrowser'
>;

/** What the panel uses of the host. */
export type PanelHost = Pick<Host, 'info' | 'copyText'>;

/** Actions that combine several parts of the plugin. All others are calls to one part. */
export interface PanelActions {
  /** Opens the picker and starts to add the chosen photos. Settles when the picker has closed. */
  addPhotos(): Promise<void>;
  /**
   * Saves a copy of the app's open document and queues it. If that fails, the upload state's `documentError` holds the
   * reason.
   * @param title  shown by the app during the export: the label of the button
   */
  uploadDocument(format: DocumentFormat, title: string): Promise<void>;
  /** Shows a photo of the history in the browser. @throws {CwError} CW-105; CW-304 for an address elsewhere */
  openPage(address: string): Promise<void>;
  /** Opens the photos of all users of the workspace in the browser. @throws {CwError} CW-105 */
  openPhotos(): Promise<void>;
  /** Loads the projects again. Never fails: the destinations' state has the error. */
  loadDestinations(): Promise<void>;
  /** Chooses the project for new photos; null for none. */
  selectDestination(project: ProjectRef | null): Promise<void>;
  /** Creates a project and selects it; selects the one that has this name already. @throws {CwError} CW-203, CW-613 */
  createProject(name: string): Promise<void>;
  /** Makes a link and puts its address on the clipboard. @throws {CwError} CW-203, CW-614, CW-801 */
  createShareLink(target: ShareTarget, options: ShareOptions): Promise<ShareLink>;
  /** The user's links to this, the newest first. @throws {CwError} */
  shareLinks(target: ShareTarget): Promise<readonly ShareLink[]>;
  /** Ends a link. @throws {CwError} */
  revokeShareLink(id: string): Promise<void>;
  /** Ends the session. Photos that are not uploaded yet stay on the list. */
  disconnect(): Promise<void>;
}

/** What every view is built with. */
export interface ViewContext {
  readonly strings: Translations;
  readonly uploads: UploadControls;
  readonly signIn: SignInControls;
  readonly actions: PanelActions;
  readonly clock: Clock;
  readonly host: PanelHost;
  /** The ways in which the app can export the open document. */
  readonly exportOffers: readonly ExportOffer[];
  /** All photos on the list. */
  photos(): readonly UploadItem[];
  /** The uploaded photos of the connected account, the newest first. */
  delivered(): readonly UploadedPhoto[];
  /** Gives the text for support about the plugin's state now. */
  readonly diagnostics: () => string;
  /** Creates a button. An error of its press is shown right below it, until the next press. */
  readonly button: (kind: ButtonKind, label: string, onClick: () => void | Promise<void>) => Button;
  /** Call for errors outside a button: the host itself would swallow them. */
  onUnexpectedError(error: unknown): void;
}

/** A part of the panel: made once, then told what to show. */
export interface View {
  readonly root: HTMLElement;
  update(state: PanelState): void;
  /** Puts the keyboard focus on the element that the user most likely needs next. */
  focus?(): void;
  /** Called when the view is hidden: removes secret or outdated content. */
  leave?(): void;
}
