import type { KoaContextWithOIDC } from 'oidc-provider';
import { isRoute } from '../context/request-state.js';

/** How a user code came: with the address that the app opened (`link`), or typed. A field of the form about the code. */
export const CODE_ENTRY = { name: 'code_entry', byLink: 'link' } as const;

/**
 * Keeps in the parameters of the interaction how the user code came. oidc-provider copies them from interaction to
 * interaction. It calls this while it checks the submitted code, before it makes the first interaction.
 */
export function setCodeEntryParam(ctx: KoaContextWithOIDC): void {
  if (isRoute(ctx, 'code_verification')) {
    const form: unknown = ctx.oidc.body;
    const sent: unknown =
      typeof form === 'object' && form !== null ? Reflect.get(form, CODE_ENTRY.name) : undefined;
    const entry = sent === CODE_ENTRY.byLink ? CODE_ENTRY.byLink : undefined;
    Object.assign(ctx.oidc.params ?? {}, { [CODE_ENTRY.name]: entry });
  }
}

/** Whether the code came with the address that the app opened. @param params those of an interaction */
export function isByLink(params: Readonly<Record<string, unknown>> | undefined): boolean {
  return params?.[CODE_ENTRY.name] === CODE_ENTRY.byLink;
}
