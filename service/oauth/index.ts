/** Authorization of apps: device codes, consent, clients, tokens. Other modules import from this file only. */
export { oauth } from './module.js';
export { openProvider, startOauth, type Oauth } from './start.js';
export { loadPlatformClients, type PlatformClient } from './clients/platform-clients.js';
export { ReservedClientNames } from './clients/reserved-client-names.js';
export {
  WorkspaceClients,
  clientEntryProblem,
  type ClientEntry,
  type WorkspaceClient,
} from './clients/workspace-clients.js';
export { SCOPE_WORDS } from './pages/scope-words.js';
export { SignInStep } from './pages/sign-in-form.js';
export { loadSecrets, type ServiceSecrets } from './provider/service-secrets.js';
export { BROWSER_CLIENT, BearerCheck, PERSONAL_CLIENT, type Principal } from './tokens/bearer.js';
export { ConnectedApps, type ConnectedApp } from './tokens/connected-apps.js';
export type { TokenLifetimes } from './tokens/lifetimes.js';
export { refusal, tokenPermission } from './tokens/token-permission.js';
export { APP_KIND } from './events.js';
