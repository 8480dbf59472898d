import { errors, type KoaContextWithOIDC } from 'oidc-provider';

/** How long the value of a parameter may be, in UTF-16 units, unless {@link MAX_LENGTHS} names it. */
const MAX_LENGTH = 2048;
const MAX_LENGTHS: Readonly<Record<string, number>> = { client_id: 256, scope: 512, nonce: 512 };
/**
 * How often one parameter may be given. [RFC 8707 §2](https://www.rfc-editor.org/rfc/rfc8707#section-2) allows
 * several resources; there is one here, and a few mentions of it do no harm.
 */
const MAX_RESOURCES = 4;

/**
 * Refuses parameters far beyond any legitimate length, before an unauthenticated request is stored.
 * [RFC 6749](https://www.rfc-editor.org/rfc/rfc6749) sets no limits, and requires `invalid_request` for malformed values
 * (§4.1.2.1, §5.2).
 */
export function checkParameterLengths(ctx: KoaContextWithOIDC): void {
  if (ctx.oidc.route !== 'device_authorization' && ctx.oidc.route !== 'authorization') {
    return;
  }
  for (const [name, value] of Object.entries(ctx.oidc.params ?? {})) {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    const max = MAX_LENGTHS[name] ?? MAX_LENGTH;
    const isTooLong = values.some((one) => typeof one === 'string' && one.length > max);
    if (isTooLong || values.length > MAX_RESOURCES) {
      throw new errors.InvalidRequest(`${name} is too long`);
    }
  }
}
