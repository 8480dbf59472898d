import { AsyncLocalStorage } from 'node:async_hooks';

const behalf = new AsyncLocalStorage<string>();

/**
 * Does work that somebody asked for. Where work has to wait for the one connection of an embedded
 * database, those who ask take turns: whoever asks for much waits for themselves, not for others.
 * @param who the network that the request came from, for instance; any text.
 */
export function onBehalfOf<T>(who: string, work: () => T): T {
  return behalf.run(who, work);
}

/** Who asked for the work that goes on; an empty text for the service itself. */
export function whoAsked(): string {
  return behalf.getStore() ?? '';
}
