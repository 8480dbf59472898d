/** What oidc-provider prints when Node.js 20 loads it. This project's tests run on Node.js 20. */
const RUNTIME_WARNING = 'oidc-provider WARNING: Unsupported runtime.';

/** Loads a program, without the warning about a version of Node.js that it supports. */
export async function loadQuietly<T>(load: () => Promise<T>): Promise<T> {
  const { warn } = console;
  console.warn = (...texts: unknown[]): void => {
    if (!String(texts[0]).includes(RUNTIME_WARNING)) {
      warn(...texts);
    }
  };
  try {
    return await load();
  } finally {
    console.warn = warn;
  }
}
