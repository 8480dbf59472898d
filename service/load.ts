import type * as Service from './start.js';

/** What oidc-provider prints when Node.js 20 loads it. This project's tests run on Node.js 20. */
const RUNTIME_WARNING = 'oidc-provider WARNING: Unsupported runtime.';

/** Loads the service, which takes a second or two, without the warning about a version of Node.js that it supports. */
export async function loadService(): Promise<typeof Service> {
  const { warn } = console;
  console.warn = (...texts: unknown[]): void => {
    if (!String(texts[0]).includes(RUNTIME_WARNING)) {
      warn(...texts);
    }
  };
  try {
    return await import('./start.js');
  } finally {
    console.warn = warn;
  }
}
