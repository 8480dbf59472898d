import type { Account } from '../api/account.js';
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
import type { Strings } from './strings/strings.js';

/** Everything the panel shows, as it stands at one moment. */
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
  /** Another number whenever something has changed about what has arrived. */
  readonly history: number;
  /** The person has approved the plugin while this panel was open, and has added no photo since. */
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
  /** Another number whenever something has changed about what has arrived. */
  readonly history: ReadableStore<number>;
  /** What has arrived for whoever is connected, the newest first. */
  delivered(): readonly DeliveredPhoto[];
}

/** What the person can ask for. */
export interface Intents {
  /** When connected: to another account. The session goes on until that has succeeded. */
  connect(): void;
  cancelSignIn(): void;
  getNewCode(): void;
  /** Asks the service at once whether the person has decided: as soon as it may be asked. */
  checkNow(): void;
  openBrowser(): Promise<void>;
  copyText(text: string): Promise<void>;
  /** Puts a text for support on the clipboard: how things stand, without anything secret or private. */
  copyDiagnostics(): Promise<void>;
  addPhotos(): Promise<void>;
  /** Stops making picked photos safe; those that are in the list already stay. */
  cancelAdding(): void;
  /**
   * Saves a copy of what is open in the app and queues it. Why it did not work stands in the uploader's `documentError`.
   * @param title  what the app may show meanwhile: the words on the button
   */
  uploadDocument(format: DocumentFormat, title: string): Promise<void>;
  pause(): void;
  resume(): void;
  retry(id: string): Promise<void>;
  /** Tries all photos again that failed for this reason. */
  retryFailed(failure: ErrorCode): Promise<void>;
  /** Like all removals, it can be undone until the next start. */
  remove(id: string): Promise<void>;
  /** Takes all photos off the list that are on it. */
  removeAll(): Promise<void>;
  /** Takes all photos off the list that failed for this reason. */
  removeFailed(failure: ErrorCode): Promise<void>;
  /** Takes those that arrived out of sight. */
  clearArrived(): Promise<void>;
  /** Puts the photos of the newest removal back on the list. */
  undoRemoval(): Promise<void>;
  /** Forgets what has arrived for whoever is connected. */
  clearHistory(): Promise<void>;
  /** Shows a photo of the history in the browser. @throws {CwError} CW-105; CW-304 for an address elsewhere */
  openPage(address: string): Promise<void>;
  /** Shows all photos of the workspace in the browser, whoever sent them. @throws {CwError} CW-105 */
  openPhotos(): Promise<void>;
  /** Makes a photo the first of those waiting; one that failed is tried again first. */
  makeNext(id: string): Promise<void>;
  /** Answers `question`: true sends the waiting photos to the account now connected, false takes them off the list. */
  answerQuestion(send: boolean): Promise<void>;
  /** Puts away `refused` and `documentError`. */
  dismissRefused(): void;
  disconnect(): Promise<void>;
}

/** What every view is built with. */
export interface ViewContext {
  readonly strings: Strings;
  readonly intents: Intents;
  readonly clock: Clock;
  /** The app the panel is in. */
  readonly host: HostInfo;
  /** The ways in which the app can hand over what is open in it. */
  readonly exportOffers: readonly ExportOffer[];
  /** All photos of the list. */
  photos(): readonly UploadItem[];
  /** What has arrived for whoever is connected, the newest first. */
  delivered(): readonly DeliveredPhoto[];
  /** The text for support, as things stand now. */
  readonly diagnostics: () => string;
  /** Makes a button. What goes wrong when it is pressed is told right below it, in words, until the next press. */
  readonly button: (kind: ButtonKind, label: string, onClick: () => void | Promise<void>) => Button;
  /** Tells of what else went wrong; the host itself would swallow it. */
  onFault(fault: unknown): void;
}

/** A part of the panel: made once, then told what to show. */
export interface View {
  readonly root: HTMLElement;
  update(state: PanelState): void;
  /** Puts the keyboard focus where the person most likely goes on. */
  focus?(): void;
  /** Called when the view goes out of sight: what is secret or outdated goes with it. */
  leave?(): void;
}
