import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { INTERACTION_PATH, ROUTES } from '../../site/addresses/oauth-paths.js';

/**
 * Redirects a browser that returns without an answer (the address was opened directly) to the pending page. The library
 * would make a new interaction each time, so clients could create any number of rows.
 */
export function redirectToPendingInteraction(provider: Provider) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const uid = isTakenUpAgain(ctx.path)
      ? ctx.cookies.get(provider.cookieName('resume'), { signed: true })
      : undefined;
    const interaction = uid === undefined ? undefined : await provider.Interaction.find(uid);
    if (interaction === undefined || interaction.result !== undefined) {
      await next();
    } else {
      ctx.status = 303;
      ctx.redirect(`${INTERACTION_PATH}/${interaction.uid}`);
    }
  };
}

function isTakenUpAgain(path: string): boolean {
  return [ROUTES.authorization, ROUTES.code_verification].some((route) =>
    path.startsWith(`${route}/`),
  );
}
