import type { OwnershipGuard } from '../account/ownership-guard.js';
import type { Sending } from './sending.js';
import type { TakingOff } from './taking-off.js';
import type { UploadList } from './upload-list.js';

export interface SessionTransitionsOptions {
  readonly list: UploadList;
  readonly ownership: OwnershipGuard;
  readonly sending: Sending;
  readonly takingOff: TakingOff;
}

/** What happens to the list when a session ends, another begins, or another account is connected. */
export class SessionTransitions {
  /** A session has ended and none has begun since. */
  private hasSessionEnded = false;

  constructor(private readonly options: SessionTransitionsOptions) {}

  /** Call when there is a session, perhaps a new one: ends waits after session trouble, and uploads what it may. */
  onSignedIn(): void {
    const { list, ownership, sending, takingOff } = this.options;
    sending.endHold();
    if (this.hasSessionEnded) {
      this.hasSessionEnded = false;
      list.forgetArrived();
    }
    void ownership.onSignedIn();
    sending.start();
    takingOff.dropAbandoned();
  }

  /** Call when the session has ended: interrupts what is under way. */
  onSessionEnded(): void {
    const { ownership, sending } = this.options;
    this.hasSessionEnded = true;
    ownership.update();
    sending.interrupt();
    sending.askAgain();
  }

  /**
   * Call when another account is connected than before: what the service answered to the account before is not valid.
   * @param isReported  false when the service does not report the account, so that it may be the same
   * @throws {CwError} CW-702 to CW-704; then the list must forget the answers at the next start
   */
  async onOtherAccount(isReported: boolean): Promise<void> {
    const { list, sending } = this.options;
    sending.interrupt();
    list.forgetArrived();
    sending.askAgain();
    if (isReported) {
      await list.forgetAnswers();
    }
  }
}
