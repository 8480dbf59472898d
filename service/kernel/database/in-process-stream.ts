import type { PGlite } from '@electric-sql/pglite';
import { Duplex } from 'node:stream';

/** The part of PGlite that the service uses. */
export type ServedDatabase = Pick<PGlite, 'execProtocolRaw' | 'close'>;

/**
 * A connection of node-postgres to a database in this process, in place of a socket to a server. Data written together
 * reaches the database as one message. So a statement with its parameters is one call instead of the five of PGlite's
 * `query`, and a named statement is parsed only once.
 */
export class InProcessStream extends Duplex {
  constructor(private readonly database: Pick<ServedDatabase, 'execProtocolRaw'>) {
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
    this.database.execProtocolRaw(message).then((bytes) => {
      if (bytes.length > 0) {
        this.push(bytes);
      }
      done();
    }, done);
  }
}

type Done = (error?: Error | null) => void;
