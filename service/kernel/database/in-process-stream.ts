import type { PGlite } from '@electric-sql/pglite';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long statements may follow one another before the event loop turns, in milliseconds. */
const TURN_MS = 5;

/** The part of PGlite that the service uses. */
export type ServedDatabase = Pick<PGlite, 'execProtocolRawStream' | 'close'>;

/**
 * A connection of node-postgres to a database in this process, in place of a socket to a server. Data written together
 * reaches the database as one message. So a statement with its parameters is one call instead of the five of PGlite's
 * `query`, and a named statement is parsed only once.
 *
 * The database works within a call, and its answers are promises. So statements that follow one another would keep the event
 * loop from turning, and with it all sockets and timers: an answer waits for a turn when the last one is too long ago.
 *
 * PGlite's `execProtocolRaw` also parses each answer, and keeps it until `execProtocol` is called: memory without a bound.
 */
export class InProcessStream extends Duplex {
  /** When the first statement of this turn of the event loop began. */
  private turnBegan: number | undefined;

  constructor(private readonly database: Pick<ServedDatabase, 'execProtocolRawStream'>) {
    super();
  }

  /** The socket methods that node-postgres calls. Nothing has to be connected here. */
  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  override _read(): void {
    // Answers are pushed as they come.
  }

  override _write(message: Buffer, _encoding: string, done: Done): void {
    this.answer(message, done);
  }

  override _writev(messages: readonly { readonly chunk: Buffer }[], done: Done): void {
    this.answer(Buffer.concat(messages.map(({ chunk }) => chunk)), done);
  }

  override _final(done: Done): void {
    this.push(null);
    done();
  }

  private answer(message: Buffer, done: Done): void {
    const chunks: Buffer[] = [];
    const began = this.beginTurn();
    this.database
      .execProtocolRawStream(message, {
        // The folder writes files at once.
        syncToFs: false,
        // A copy, because the bytes are in the memory of the database.
        onRawData: (bytes) => chunks.push(Buffer.from(bytes)),
      })
      .then(async () => {
        if (performance.now() - began > TURN_MS) {
          await nextTurn();
        }
        for (const chunk of chunks) {
          this.push(chunk);
        }
        done();
      })
      .catch(done);
  }

  /** @returns when the first statement of this turn of the event loop began */
  private beginTurn(): number {
    if (this.turnBegan === undefined) {
      this.turnBegan = performance.now();
      setImmediate(() => {
        this.turnBegan = undefined;
      });
    }
    return this.turnBegan;
  }
}

type Done = (error?: Error | null) => void;
