import type { IncomingMessage } from 'node:http';
import type { ApiError } from '../../../kernel/http/api-error.js';

/** How many bytes of a body may wait in memory for the disk. */
const BUFFER_BYTES = 256 * 1024;

/**
 * The body of a request as a stream that never fails: when the sender goes away, is silent for too long, or is
 * stopped, the stream ends after the received bytes, so that these are kept.
 */
export class UploadBody {
  readonly stream: ReadableStream<Uint8Array>;
  private idle: NodeJS.Timeout | undefined;
  private finish: () => void = () => undefined;
  private ended = false;
  private early: ApiError | undefined;

  /** @param idleMs how long the sender may be silent while bytes are wanted, in milliseconds. */
  constructor(
    private readonly request: IncomingMessage,
    private readonly idleMs: number,
  ) {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.finish = () => controller.close();
          request.on('data', (chunk: Buffer) => {
            if (this.ended) {
              return;
            }
            controller.enqueue(chunk);
            if ((controller.desiredSize ?? 0) <= 0) {
              this.pause();
            } else {
              this.listen();
            }
          });
          request.once('end', () => this.end());
          request.once('close', () => this.end());
          request.on('error', () => this.end());
        },
        pull: () => {
          if (this.ended) {
            return;
          }
          this.listen();
          request.resume();
        },
        cancel: () => this.end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
    );
  }

  /** The answer for which the body was stopped, if it was. */
  get stoppedFor(): ApiError | undefined {
    return this.early;
  }

  /** Ends the stream now, and notes what to answer. Does nothing once the stream has ended. */
  stop(answer: ApiError): void {
    if (this.ended) {
      return;
    }
    this.early = answer;
    this.end();
  }

  /** Takes no more bytes; call it when the work on the body is over. */
  end(): void {
    clearTimeout(this.idle);
    if (this.ended) {
      return;
    }
    this.ended = true;
    try {
      this.finish();
    } catch {
      // The reader cancelled it.
    }
  }

  private pause(): void {
    clearTimeout(this.idle);
    this.request.pause();
  }

  private listen(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      this.stop({
        status: 408,
        error: 'request_timeout',
        description: 'no bytes were received for too long; continue from the offset of HEAD',
      });
    }, this.idleMs).unref();
  }
}
