import type { Provider } from 'oidc-provider';
import type { CodeSignInPolicy, Identity, Issuing } from '../identity/index.js';
import type { Kernel } from '../kernel/kernel.js';
import type { PlatformClient } from './clients/platform-clients.js';
import { ReservedClientNames } from './clients/reserved-client-names.js';
import { FinishedInteractions } from './interactions/finished-interactions.js';
import { SignInStep } from './pages/sign-in-form.js';
import { resourceMetadataUrl } from './provider/protected-resource.js';
import { countReuse, reportErrorsOf } from './provider/provider-events.js';
import { createProvider } from './provider/provider.js';
import type { ServiceSecrets } from './provider/service-secrets.js';
import { oauthRoutes } from './routes.js';
import { BearerCheck } from './tokens/bearer.js';
import type { TokenLifetimes } from './tokens/lifetimes.js';

export interface OauthOptions {
  readonly lifetimes: TokenLifetimes;
  readonly codeSignIn: CodeSignInPolicy;
}

/** Opens the provider, which stores the sessions of browsers, too. */
export function openProvider(
  kernel: Kernel & { readonly secrets: ServiceSecrets },
  { lifetimes, codeSignIn }: OauthOptions,
  clients: PlatformClient[],
  issuing: Issuing,
): Provider {
  const finished = new FinishedInteractions(kernel.database, issuing.formTokens, kernel.now);
  const provider = createProvider({
    ...kernel,
    ...issuing,
    clients,
    finished,
    lifetimes,
    codeSignIn,
  });
  reportErrorsOf(provider, kernel.reportError);
  countReuse(provider, kernel.counts);
  return provider;
}

/** What the module gives to later ones. */
export type Oauth = ReturnType<typeof startOauth>;

export function startOauth(
  kernel: Kernel,
  { codeSignIn }: OauthOptions,
  clients: readonly PlatformClient[],
  identity: Identity,
) {
  const { database, now, baseUrl } = kernel;
  const { formTokens } = identity;
  const signIn = new SignInStep(identity.passwords, identity.shownDemoAccount, {
    ...kernel,
    ...identity,
  });
  return {
    jobs: [],
    routes: oauthRoutes({
      ...kernel,
      ...identity,
      codeSignIn,
      finished: new FinishedInteractions(database, formTokens, now),
      signIn,
    }),
    signIn,
    bearer: new BearerCheck(
      database,
      identity.personalTokens,
      baseUrl,
      resourceMetadataUrl(baseUrl),
      now,
    ),
    officialNames: new ReservedClientNames(clients.map((client) => client.client_name)),
  };
}
