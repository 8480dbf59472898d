import type { Account } from '../../../src/api/account.js';
import type { GateState } from '../../../src/api/gate.js';
import type { ErrorCode } from '../../../src/base/errors.js';
import type { SessionState } from '../../../src/oauth/token-store.js';
import type { SignInState } from '../../../src/oauth/sign-in.js';
import type { DeliveredPhoto } from '../../../src/uploads/delivery-history.js';
import type { UploaderState } from '../../../src/uploads/uploader.js';
import type { UploadItem } from '../../../src/uploads/upload-item.js';
import type { Intents } from '../../../src/panel/view.js';
import type { PlainKey } from '../../../src/panel/strings/catalogue.js';

/** What the panel's sources say at one moment. */
export interface Situation {
  readonly session: SessionState;
  readonly account: Account | null;
  readonly signIn: SignInState;
  /** Whether the sign-in is for another account. */
  readonly isForAnother: boolean;
  readonly queue: GateState;
  readonly uploader: UploaderState;
  readonly items: readonly UploadItem[];
  readonly delivered: readonly DeliveredPhoto[];
}

export interface Scene {
  /** Shown in the preview's menu. */
  readonly title: string;
  /** Situations one after the other, three seconds apart; the last is what is looked at. */
  situations(now: number): readonly Partial<Situation>[];
  /** Buttons pressed afterwards, by their words. */
  readonly press?: readonly (PlainKey | 'delivered')[];
  /** What the app refuses, and with which code; everything else succeeds. */
  readonly refuses?: Partial<Record<keyof Intents, ErrorCode>>;
  readonly isTooOld?: boolean;
}

export const SIGNED_OUT: Situation = {
  session: { kind: 'signed-out' },
  account: null,
  signIn: { kind: 'idle' },
  isForAnother: false,
  queue: { kind: 'open' },
  uploader: {
    paused: false,
    adding: null,
    refused: [],
    storageError: null,
    question: null,
    willAsk: false,
    removal: null,
    documentError: null,
  },
  items: [],
  delivered: [],
};

export type Scenes = Readonly<Record<string, Scene>>;
