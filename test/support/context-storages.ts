import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks';

/*
 * After the first use of an AsyncLocalStorage, as in Koa and oidc-provider, Node 20 carries it along with every promise
 * of the process until it is switched off, and nobody does. Each test file loads its own modules, so each adds some:
 * after a few dozen files this was a third of all the work.
 */
const used = new Set<AsyncLocalStorage<unknown>>();

class Followed<T> extends AsyncLocalStorage<T> {
  constructor(...options: ConstructorParameters<typeof AsyncLocalStorage<T>>) {
    super(...options);
    used.add(this);
  }
}

// Node's own modules are the same in all test files.
Object.assign(asyncHooks, { AsyncLocalStorage: Followed });

/** Switches off the storages used so far, at the end of a test file. */
export function endContextStorages(): void {
  for (const storage of used) storage.disable();
  used.clear();
}
