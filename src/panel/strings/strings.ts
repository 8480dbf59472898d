import type { ErrorCode } from '../../base/errors.js';

/** Every word on the panel. A language is one object of this type, so that none can be missing. */
export interface Strings {
  readonly connect: string;
  readonly copyCode: string;
  readonly copied: string;
  readonly openBrowser: string;
  readonly getNewCode: string;
  readonly cancel: string;
  readonly addPhotos: string;
  readonly pause: string;
  readonly resume: string;
  /** In the panel's menu, whose entries keep their label. */
  readonly pauseOrResume: string;
  readonly retry: string;
  readonly retryAll: string;
  readonly remove: string;
  readonly disconnect: string;
  readonly reconnect: string;
  readonly dismiss: string;

  readonly starting: string;
  readonly welcomeTitle: string;
  readonly welcomeText: string;
  readonly requestingCode: string;
  readonly codeTitle: string;
  readonly codeSteps: string;
  readonly codeAddress: string;
  readonly waitingForApproval: string;
  readonly codeTimeLeft: (minutes: number) => string;
  readonly connected: string;
  readonly noPhotos: string;
  readonly reconnectTitle: string;
  readonly photosWaitingForReconnect: (count: number) => string;
  readonly paused: string;
  readonly tryingAgainIn: (seconds: number) => string;
  readonly adding: (done: number, total: number) => string;
  readonly progress: (uploaded: number, total: number) => string;
  readonly allUploaded: (count: number) => string;
  readonly failedCount: (count: number) => string;
  readonly morePhotos: (count: number) => string;
  readonly notQueued: (name: string) => string;
  readonly photoWaiting: string;
  readonly photoUploading: (percent: number) => string;
  readonly photoUploaded: string;
  readonly photoFailed: string;
  readonly size: (bytes: number) => string;

  /** What happened and what to do, by error code. */
  readonly errors: Readonly<Record<ErrorCode, string>>;
}
