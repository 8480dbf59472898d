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
  /** Settles when it is known what an earlier run left, or when reading that has failed for the first time. */
  readonly restored: () => Promise<void>;
  /** Settles when it is known what an earlier run left. */
  readonly listRead: () => Promise<void>;
  /** Whether photos are being made safe. */
  readonly isAdding: () => boolean;
  /** Settles when all that was chosen so far is on the list or refused. */
  readonly added: () => Promise<unknown>;
}

/** Handles the list when a session ends, another begins, or another account replaces the connected one. */
export class Connections {
  /** The session has ended and none has begun since: the next may be another account's. */
  private hasSessionEnded = false;
  private changing = false;

  constructor(private readonly options: ConnectionsOptions) {}

  /** Whether the account is being replaced, or it is not known yet whether the new one is another. */
  get isChanging(): boolean {
    return this.changing;
  }

  /** Call when there is a session, perhaps a new one: ends waits after session trouble, and asks what must be asked. */
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

  /** To be called when the session has ended: interrupts what is under way. */
  ended(): void {
    const { guard, sending } = this.options;
    this.hasSessionEnded = true;
    guard.noteDisconnected();
    guard.hide();
    sending.interrupt();
    sending.askAgain();
  }

  /** To be called before a disconnect: photos that have not arrived must not go to another account unasked. */
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
   * To be called before another account replaces the connected one. Uploads stop where they are, and nothing on the
   * list goes to the other account unasked, not even after a kill. The other session may be stored only when this has
   * settled.
   * @throws {CwError} when storage refuses the question; uploads go on then, and no other session may be stored
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

  /** To be called when the account was not replaced, or the new one is the same: uploads go on as before. */
  async unchanged(): Promise<void> {
    await this.options.guard.takeBack();
    this.changing = false;
    await this.askConnected();
    this.options.sending.start();
  }

  /** To be called when another account has replaced the one before: asks it about what is on the list. */
  async changed(): Promise<void> {
    const { list, guard, sending, added } = this.options;
    list.forgetArrived();
    guard.noteDisconnected();
    sending.askAgain();
    // Photos chosen before the change belong to the account before, even if they get onto the list only now.
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

  /** If an account is connected, finds out whether it is another one than before, and asks what must be asked then. */
  async compareAccount(): Promise<void> {
    const { guard, sending, listRead, isConnected } = this.options;
    if (isConnected() && (await guard.compareAccount(listRead()))) {
      await this.askConnected();
      sending.start();
    }
  }
}
