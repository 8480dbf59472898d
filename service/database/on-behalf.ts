import { AsyncLocalStorage } from 'node:async_hooks';

const behalf = new AsyncLocalStorage<string>();

/**
 * Does work on behalf of somebody. An embedded database has one connection; when work has to wait for it, those who
 * asked take turns. So somebody who asks for much waits behind their own work, and others do not.
 * @param who any text, such as the network that the request came from.
 */
export function onBehalfOf<T>(who: string, work: () => T): T {
  return behalf.run(who, work);
}

/** On whose behalf the current work is done; an empty text for the service itself. */
export function whoAsked(): string {
  return behalf.getStore() ?? '';
}
