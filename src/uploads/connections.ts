import { supersededError } from '../base/superseded.js';
import type { AccountGuard } from './account-guard.js';
import type { ListHealth } from './list-health.js';
import type { Sending } from './sending.js';
import type { TakingOff } from './taking-off.js';
import type { UploadList } from './upload-list.js';

export interface ConnectionsOptions {
  readonly list: UploadList;
  readonly health: ListHealth;
  readonly guard: AccountGuard;
  readonly sending: Sending;
  readonly takingOff: TakingOff;
  /** Whether there is a session to upload with. */
  readonly isConnected: () => boolean;
  /** Settles when what an earlier run left is known. */
  readonly restored: () => Promise<void>;
  /** Whether photos are being made safe. */
  readonly isAdding: () => boolean;
  /** Settles when all that was chosen so far is on the list or refused. */
  readonly added: () => Promise<unknown>;
}

/** What becomes of the list when a session ends, another begins, or another account takes the place of the one connected. */
export class Connections {
  /** The session ended since the last one began: the next may be another account's. */
  private hasSessionEnded = false;
  private changing = false;

  constructor(private readonly options: ConnectionsOptions) {}

  /** Whether another account is about to take the place of the one connected, or nobody knows yet whether it is another. */
  get isChanging(): boolean {
    return this.changing;
  }

  /** There is a session, perhaps a new one: ends a wait for one in trouble, and asks what is to be asked. */
  begun(): void {
    const { list, sending, takingOff } = this.options;
    sending.endHold();
    if (this.hasSessionEnded) {
      this.hasSessionEnded = false;
      list.forgetArrived();
    }
    void this.compareAccount();
    void this.askConnected();
    sending.start();
    takingOff.dropAbandoned();
  }

  /** The session has ended: interrupts what is under way. */
  ended(): void {
    const { guard, sending } = this.options;
    this.hasSessionEnded = true;
    guard.noteDisconnected();
    guard.hide();
    sending.interrupt();
    sending.askAgain();
  }

  /** The person is about to disconnect: photos that have not arrived must not go to another account unasked. */
  async beforeDisconnect(): Promise<void> {
    const { list, health, guard, restored, isAdding } = this.options;
    await restored();
    guard.expectAnother();
    if (!list.hasUnsent && !isAdding() && health.state.get() === null) {
      return;
    }
    await guard.ask();
  }

  /**
   * Another account is about to take the place of the one connected. Uploads stop where they are, and nothing of the
   * list goes to it unasked, also after a kill: only when this has settled may the other session be stored.
   * @throws {CwError} when storage does not take that; uploads go on then, and no other session may be stored
   */
  async beforeChange(): Promise<void> {
    const { health, guard, sending, restored } = this.options;
    this.changing = true;
    sending.interrupt();
    try {
      await restored();
      if (health.isSuperseded) {
        throw supersededError();
      }
      await guard.askBeforeChange();
    } catch (thrown) {
      await this.unchanged();
      throw thrown;
    }
  }

  /** No other account has taken the place, or it is the same one: uploads go on as before. */
  async unchanged(): Promise<void> {
    await this.options.guard.takeBack();
    this.changing = false;
    await this.askConnected();
    this.options.sending.start();
  }

  /** Another account has taken the place: asks it about what is on the list. */
  async changed(): Promise<void> {
    const { list, guard, sending, added } = this.options;
    list.forgetArrived();
    guard.noteDisconnected();
    sending.askAgain();
    // What was chosen before belongs to the account before, also if it takes its time to get onto the list.
    await added();
    this.changing = false;
    this.begun();
  }

  /** Answers the question: sends the waiting photos to the account now connected, or takes them off the list. */
  async answer(send: boolean): Promise<void> {
    const { guard, sending } = this.options;
    const { question } = guard;
    if (!guard.isOpen || this.changing) {
      return;
    }
    guard.hide();
    if (!send) {
      await this.options.takingOff.takeOff(guard.photos);
    }
    if (question !== guard.question) {
      return;
    }
    await guard.close();
    sending.start();
  }

  /** Asks about photos of an earlier account, if there are any and an account is connected. */
  async askConnected(): Promise<void> {
    const { guard, sending, restored, isConnected } = this.options;
    await restored();
    if (!guard.isOpen || this.changing || !isConnected()) {
      return;
    }
    if (await guard.askConnected()) {
      sending.start();
    }
  }

  /** Finds out whether another account is connected than before, if one is, and asks what is to be asked then. */
  async compareAccount(): Promise<void> {
    const { guard, sending, restored, isConnected } = this.options;
    if (isConnected() && (await guard.compareAccount(restored()))) {
      await this.askConnected();
      sending.start();
    }
  }
}
