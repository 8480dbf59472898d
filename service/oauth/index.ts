/** Authorization of apps: device codes, consent, clients, tokens. Other modules import from this file only. */
export { oauth } from './module.js';
export { loadPlatformClients, type PlatformClient } from './clients/platform-clients.js';
export { ReservedClientNames } from './clients/reserved-client-names.js';
export {
  WorkspaceClients,
  clientEntryProblem,
  type ClientEntry,
  type WorkspaceClient,
} from './clients/workspace-clients.js';
export { FinishedInteractions } from './interactions/finished-interactions.js';
export type { InteractionDeps } from './interactions/interactions.js';
export { SCOPE_WORDS } from './pages/scope-words.js';
export { SignInStep } from './pages/sign-in-form.js';
export { resourceMetadataUrl } from './provider/protected-resource.js';
export { countReuse, reportErrorsOf } from './provider/provider-events.js';
export { SESSION_SECONDS, createProvider } from './provider/provider.js';
export { loadSecrets, type ServiceSecrets } from './provider/service-secrets.js';
export { oauthRoutes } from './routes.js';
export { BROWSER_CLIENT, BearerCheck, PERSONAL_CLIENT, type Principal } from './tokens/bearer.js';
export { ConnectedApps, type ConnectedApp } from './tokens/connected-apps.js';
export type { TokenLifetimes } from './tokens/lifetimes.js';
export { refusal, tokenPermission } from './tokens/token-permission.js';
export { APP_KIND } from './events.js';
