import { Clearing, type ClearingOptions } from './clearing.js';
import type { DeliveryHistory } from './delivery-history.js';
import { KnownPhotos } from './known-photos.js';
import { UploadRunner, type UploadRunnerOptions } from './upload-runner.js';

export interface SendingOptions
  extends Pick<ClearingOptions, 'records'>, Omit<UploadRunnerOptions, 'clearing' | 'onDelivered'> {
  /** Remembers what has arrived; without it nothing is. */
  readonly history?: DeliveryHistory;
}

/** Everything that goes to the service for the photos on the list: first the question which it holds already, then uploads. */
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

  /** Starts what may run. Call whenever something may have become possible. */
  start(): void {
    this.known.look();
    this.runner.startUploads();
  }

  /** Stops what runs. Photos whose uploads are stopped wait again. */
  interrupt(): void {
    this.known.stop();
    this.runner.interrupt();
  }

  /** Ends a wait after trouble with the session. */
  endHold(): void {
    this.runner.endHold();
  }

  /** Somebody else may be connected: what the service said about its photos holds no longer. */
  askAgain(): void {
    this.known.reset();
  }

  /**
   * Stops the uploads of photos that leave the list.
   * @param takeOff  takes them off the list before it first waits; called when no upload of theirs runs any more
   */
  async stopAndTakeOff(ids: readonly string[], takeOff: () => Promise<void>): Promise<void> {
    await this.runner.stopAndTakeOff(ids, takeOff);
  }
}
