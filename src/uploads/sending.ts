import { Clearing, type ClearingOptions } from './clearing.js';
import type { DeliveryHistory } from './delivery-history.js';
import { KnownPhotos } from './known-photos.js';
import { UploadRunner, type UploadRunnerOptions } from './upload-runner.js';

export interface SendingOptions
  extends Pick<ClearingOptions, 'records'>, Omit<UploadRunnerOptions, 'clearing' | 'onDelivered'> {
  /** Remembers what has arrived; without it nothing is remembered. */
  readonly history?: DeliveryHistory;
}

/** Sends the photos on the list: first asks which of them the service holds already, then uploads the others. */
export class Sending {
  private readonly known: KnownPhotos;
  private readonly runner: UploadRunner;

  constructor(options: SendingOptions) {
    const { mayUpload, history } = options;
    this.runner = new UploadRunner({
      ...options,
      clearing: new Clearing(options),
      onDelivered: (record, delivery) => {
        history?.add(record, delivery);
      },
    });
    this.known = new KnownPhotos({
      ...options,
      mayAsk: mayUpload,
      onReleased: () => {
        this.runner.startUploads();
      },
    });
  }

  /** Starts what may run. Call whenever sending may have become possible. */
  start(): void {
    this.known.look();
    this.runner.startUploads();
  }

  /** Stops what runs. Photos whose uploads were stopped wait again. */
  interrupt(): void {
    this.known.stop();
    this.runner.interrupt();
  }

  /** Ends a wait after trouble with the session. */
  endHold(): void {
    this.runner.endHold();
  }

  /** To be called when somebody else may be connected: what the service said about known photos is no longer valid. */
  askAgain(): void {
    this.known.reset();
  }

  /**
   * Stops the uploads of photos that leave the list.
   * @param takeOff  called when none of these uploads runs any more; must take the photos off the list before its first
   *   `await`
   */
  async stopAndTakeOff(ids: readonly string[], takeOff: () => Promise<void>): Promise<void> {
    await this.runner.stopAndTakeOff(ids, takeOff);
  }
}
