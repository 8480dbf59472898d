import type { Account } from '../account/current-account.js';
import type { GateState } from '../api/gate.js';
import type { Clock } from '../base/clock.js';
import type { ErrorCode } from '../base/errors.js';
import type { ReadableStore } from '../base/store.js';
import type { DocumentFormat, ExportOffer, HostInfo } from '../host/host.js';
import type { SessionState } from '../oauth/token-store.js';
import type { SignInState } from '../oauth/sign-in.js';
import type { DeliveredPhoto } from '../uploads/delivery-history.js';
import type { UploaderState } from '../uploads/uploader.js';
import type { UploadItem, UploadSummary } from '../uploads/upload-item.js';
import type { Button, ButtonKind } from './dom.js';
import type { Progress } from './progress.js';
import type { Translations } from './i18n/translations.js';

/** Everything the panel shows at one moment. */
export interface PanelState {
  readonly session: SessionState;
  /** Whose session it is; null while that is not known. */
  readonly account: Account | null;
  readonly signIn: SignInState;
  /** Whether the sign-in is for another account, while the session goes on. */
  readonly isForAnother: boolean;
  readonly queue: GateState;
  readonly uploader: UploaderState;
  readonly summary: UploadSummary;
  readonly progress: Progress;
  /** A number that changes whenever the history of what has arrived does. */
  readonly history: number;
  /** Whether a sign-in has succeeded while this panel showed it, and there have been no photos since. */
  readonly justApproved: boolean;
  /** Wall-clock time in milliseconds. */
  readonly now: number;
}

/** What the panel reads. */
export interface PanelSources {
  readonly session: ReadableStore<SessionState>;
  readonly account: ReadableStore<Account | null>;
  readonly signIn: ReadableStore<SignInState>;
  readonly isForAnother: () => boolean;
  readonly queue: ReadableStore<GateState>;
  readonly uploader: ReadableStore<UploaderState>;
  readonly summary: ReadableStore<UploadSummary>;
  /** Up to `count` photos from place `start` of the list. */
  photos(start: number, count: number): readonly UploadItem[];
  /** A number that changes whenever the history of what has arrived does. */
  readonly history: ReadableStore<number>;
  /** What has arrived for whoever is connected, the newest first. */
  delivered(): readonly DeliveredPhoto[];
}

/** What the person can ask for. */
export interface Intents {
  /** Starts a sign-in. When connected, it is for another account; the session stays in use until it has succeeded. */
  connect(): void;
  cancelSignIn(): void;
  getNewCode(): void;
  /** Asks the service whether the person has decided, as soon as it may be asked. */
  checkNow(): void;
  openBrowser(): Promise<void>;
  copyText(text: string): Promise<void>;
  /** Puts the text for support on the clipboard: the plugin's state, without anything secret or private. */
  copyDiagnostics(): Promise<void>;
  addPhotos(): Promise<void>;
  /** Stops making picked photos safe; those that are on the list already stay. */
  cancelAdding(): void;
  /**
   * Saves a copy of what is open in the app and queues it. If that fails, the uploader's `documentError` says why.
   * @param title  what the app may show meanwhile: the words on the button
   */
  uploadDocument(format: DocumentFormat, title: string): Promise<void>;
  pause(): void;
  resume(): void;
  retry(id: string): Promise<void>;
  /** Tries all photos again that failed for this reason. */
  retryFailed(failure: ErrorCode): Promise<void>;
  /**
   * Takes a photo off the list. The newest removal can be undone until the next start, as long as the disk has room.
   */
  remove(id: string): Promise<void>;
  /** Takes all photos off the list. */
  removeAll(): Promise<void>;
  /** Takes all photos off the list that failed for this reason. */
  removeFailed(failure: ErrorCode): Promise<void>;
  /** Takes photos that have arrived out of sight. */
  clearArrived(): Promise<void>;
  /** Puts the photos of the newest removal back on the list. */
  undoRemoval(): Promise<void>;
  /** Clears the history of whoever is connected: what has arrived is no longer remembered. */
  clearHistory(): Promise<void>;
  /** Shows a photo of the history in the browser. @throws {CwError} CW-105; CW-304 for an address elsewhere */
  openPage(address: string): Promise<void>;
  /** Shows all photos of the workspace in the browser, whoever sent them. @throws {CwError} CW-105 */
  openPhotos(): Promise<void>;
  /** Makes a photo the first of those waiting; one that failed is tried again first. */
  makeNext(id: string): Promise<void>;
  /** Answers `question`: true sends the waiting photos to the account now connected, false takes them off the list. */
  answerQuestion(send: boolean): Promise<void>;
  /** Ends every wait after trouble with storage on this computer. */
  retryStorage(): void;
  /** Decides about photos that were found: true puts them on the list, false removes them. */
  answerFound(send: boolean): Promise<void>;
  /** Clears `refused` and `documentError`. */
  dismissRefused(): void;
  disconnect(): Promise<void>;
}

/** What every view is built with. */
export interface ViewContext {
  readonly strings: Translations;
  readonly intents: Intents;
  readonly clock: Clock;
  /** The app the panel is in. */
  readonly host: HostInfo;
  /** The ways in which the app can hand over what is open in it. */
  readonly exportOffers: readonly ExportOffer[];
  /** All photos on the list. */
  photos(): readonly UploadItem[];
  /** What has arrived for whoever is connected, the newest first. */
  delivered(): readonly DeliveredPhoto[];
  /** Gives the text for support about the plugin's state now. */
  readonly diagnostics: () => string;
  /** Makes a button. What goes wrong when it is pressed is shown right below it, until the next press. */
  readonly button: (kind: ButtonKind, label: string, onClick: () => void | Promise<void>) => Button;
  /** To be told what goes wrong outside a button: the host itself would swallow it. */
  onFault(fault: unknown): void;
}

/** A part of the panel: made once, then told what to show. */
export interface View {
  readonly root: HTMLElement;
  update(state: PanelState): void;
  /** Puts the keyboard focus where the person most likely goes on. */
  focus?(): void;
  /** Called when the view is hidden: removes what is secret or outdated. */
  leave?(): void;
}
