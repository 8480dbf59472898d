/**
 * Run before each test file (jest.config.js): oidc-provider warns on Node 20 that it was made for later ones, once in
 * every file that starts a service. All else that is written to the console comes through.
 */
const { warn } = console;

console.warn = (...texts: unknown[]): void => {
  if (!String(texts[0]).includes('oidc-provider WARNING: Unsupported runtime.')) warn(...texts);
};
