import * as vm from 'node:vm';

type Listener = (reason: unknown, promise: Promise<unknown>) => void;

interface Watcher {
  readonly promise: PromiseConstructor;
  readonly report: (reason: unknown) => void;
}

/** The process itself: a test runner may hand out a copy that gets no events. */
const realProcess = vm.runInThisContext('process') as NodeJS.Process;
const watchers = new Set<Watcher>();
let former: Listener[] = [];

const dispatch: Listener = (reason, promise) => {
  for (const watcher of watchers) {
    if (promise instanceof watcher.promise) {
      watcher.report(reason);
      return;
    }
  }
  if (former.length === 0) throw reason;
  for (const listener of former) listener(reason, promise);
};

/**
 * Takes the unhandled rejections of one realm's promises away from the process: in a host nobody hears of them, in a test
 * the report does. All others go where they went before.
 * @returns a function that ends it, once rejections already under way have arrived
 */
export function watchUnhandledRejections(
  promise: PromiseConstructor,
  report: (reason: unknown) => void,
): () => void {
  const watcher: Watcher = { promise, report };
  if (watchers.size === 0) {
    former = realProcess.listeners('unhandledRejection');
    realProcess.removeAllListeners('unhandledRejection');
    realProcess.on('unhandledRejection', dispatch);
  }
  watchers.add(watcher);
  return () => {
    setImmediate(() => {
      watchers.delete(watcher);
      if (watchers.size > 0) return;
      realProcess.removeListener('unhandledRejection', dispatch);
      for (const listener of former) realProcess.on('unhandledRejection', listener);
    });
  };
}
