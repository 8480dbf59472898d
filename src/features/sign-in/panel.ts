import type { UploadSummary } from '../queue/index.js';
import type { DevicePanel } from '../device/index.js';
import type { OwnershipPrompt } from '../../account/ownership-guard.js';
import type { Account } from '../../account/current-account.js';
import type { DeviceSignIn, SignInState } from '../../oauth/device-flow/sign-in.js';
import type { SessionState } from '../../oauth/session/token-store.js';
import type { PanelPart, ViewContext, ViewProps } from '../../ui/view.js';

/** The buttons' calls to the sign-in. */
export type SignInControls = Pick<
  DeviceSignIn,
  'start' | 'startForScope' | 'startOver' | 'cancel' | 'checkNow' | 'openBrowser' | 'chooseNumber'
>;

export interface SignInPanel extends PanelPart {
  readonly state: {
    readonly session: SessionState;
    /** The session's account; null while it is unknown. */
    readonly account: Account | null;
    readonly signIn: SignInState;
    /** Whether the sign-in is for another account, while the session continues. */
    readonly isForAnother: boolean;
    /** The scope that the sign-in under way was begun for; null when it was begun for an account. */
    readonly requestedScope: string | null;
  };
  readonly context: {
    readonly signIn: SignInControls;
    readonly actions: {
      /** Ends the session. Photos that are not uploaded yet stay on the list. */
      disconnect(): Promise<void>;
      /** Shows a page of the service in the browser. @throws {CwError} CW-105; CW-304 for an address elsewhere */
      openPage(address: string): Promise<void>;
      /** Opens the photos of all users of the workspace in the browser. @throws {CwError} CW-105 */
      openPhotos(): Promise<void>;
    };
  };
}

/** The parts that the views of this feature need. */
export type SignInNeeds = SignInPanel &
  DevicePanel & {
    readonly state: {
      readonly summary: UploadSummary;
      readonly uploadState: Pick<OwnershipPrompt, 'willAsk'>;
      /** Whether a sign-in has succeeded while this panel showed it, and there have been no photos since. */
      readonly justApproved: boolean;
    };
    readonly context: object;
  };
export type Props = ViewProps<SignInNeeds>;
export type Context = ViewContext<SignInNeeds>;
