import type { Realm } from './realm.js';

/** Carries an error of the plugin's realm that keeps its class on the way to the plugin. */
export class HostFailure extends Error {
  constructor(readonly error: Error) {
    super(error.message);
  }
}

/** An operation on files that the plugin requests. */
export interface FileOperation {
  /** The member that was called, such as `moveTo` or `fs.read`. */
  readonly name: string;
  /** The native path that it is about, or the file descriptor. */
  readonly on: string;
}

/**
 * The outcome of an operation on files: it runs, fails with an error, or never settles. With a promise it runs and answers
 * late, when that settles: the plugin may have given up by then, or may have ended. With a promise of `hang` it runs late, and
 * does not answer.
 */
export type FileFault = (operation: FileOperation) => 'run' | 'hang' | Error | Promise<unknown>;

/**
 * One run of a plugin, from opening to closing or killing.
 *
 * Every asynchronous host call passes through `call`. It settles in a later task, as in a host, with errors of the
 * plugin's realm. It never settles after the plugin has ended.
 */
export class Lifetime {
  #alive = true;
  /** How many operations on files run, without those that hang or are late. */
  fileOperations = 0;
  /** Decides about every operation on files from now on. */
  fileFault: FileFault = () => 'run';
  readonly #ending = new Set<() => void>();

  constructor(readonly realm: Realm) {}

  get alive(): boolean {
    return this.#alive;
  }

  /**
   * Registers something to be ended with the plugin: a socket, a timer, a file descriptor.
   * @returns call it when that has ended before
   */
  onEnd(end: () => void): () => void {
    this.#ending.add(end);
    return () => this.#ending.delete(end);
  }

  /** Ends the run at once: nothing of the plugin runs afterwards. */
  end(): void {
    if (!this.#alive) return;
    this.#alive = false;
    for (const end of this.#ending) end();
    this.#ending.clear();
  }

  /** Runs a host call; its promise settles in a later task, or never when the plugin has ended by then. */
  call<T>(task: () => Promise<T> | T): Promise<T> {
    return new this.realm.Promise<T>((resolve, reject) => {
      setImmediate(() => {
        if (!this.#alive) return;
        Promise.resolve()
          .then(task)
          .then(
            (value) => {
              if (this.#alive) resolve(value);
            },
            (reason: unknown) => {
              if (this.#alive) reject(this.errorOf(reason));
            },
          );
      });
    });
  }

  /** Runs a host call that works on files, unless a test makes it fail. */
  callOnFile<T>(operation: FileOperation, task: () => Promise<T> | T): Promise<T> {
    this.fileOperations += 1;
    return this.call(async () => {
      try {
        return await this.partOfCall(operation, task);
      } finally {
        this.fileOperations -= 1;
      }
    });
  }

  /** Runs a part of such a call, which can fail by itself. */
  async partOfCall<T>(operation: FileOperation, task: () => Promise<T> | T): Promise<T> {
    const fault = this.fileFault(operation);
    if (fault === 'hang') return new Promise<T>(() => (this.fileOperations -= 1));
    if (fault !== 'run' && 'then' in fault) {
      this.fileOperations -= 1;
      const isMute = (await fault) === 'hang';
      this.fileOperations += 1;
      if (isMute) {
        await task();
        return new Promise<T>(() => (this.fileOperations -= 1));
      }
    } else if (fault !== 'run') throw fault;
    return task();
  }

  /** Any thrown value as an Error of the plugin's realm; `code` is kept, the paths in Node's messages are too. */
  errorOf(reason: unknown): Error {
    if (reason instanceof HostFailure) return reason.error;
    const source =
      typeof reason === 'object' && reason !== null
        ? (reason as { message?: unknown; code?: unknown })
        : {};
    const text = typeof source.message === 'string' ? source.message : String(reason);
    const error: Error & { code?: unknown } = new this.realm.Error(text);
    if (source.code !== undefined) error.code = source.code;
    return error;
  }
}
