import { domainToASCII } from 'node:url';
import type { CsrfTokens } from '../csrf/csrf.js';

/** Looks up the TXT records of a name, as `resolveTxt` of Node.js does. */
export type ResolveTxt = (name: string) => Promise<string[][]>;

/** How many domains a workspace may have. */
export const MAX_DOMAINS = 20;

const DOMAIN =
  /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * The domain in an e-mail address, or the domain itself, in lower case and in ASCII.
 * @returns undefined when there is none.
 */
export function domainIn(entry: string): string | undefined {
  const domain = domainToASCII(entry.slice(entry.lastIndexOf('@') + 1).trim()).toLowerCase();
  return DOMAIN.test(domain) ? domain : undefined;
}

/** A TXT record with which the owner of a domain names the workspace. */
export interface DomainRecord {
  readonly name: string;
  readonly value: string;
}

/** The record that confirms a domain for a workspace. Nobody else can compute it. */
export function recordFor(
  formTokens: CsrfTokens,
  workspaceId: string,
  domain: string,
): DomainRecord {
  const token = formTokens.make('company-domain', workspaceId, domain);
  return { name: `_creative-workspace.${domain}`, value: `creative-workspace=${token}` };
}

/** Whether a record is in the DNS. A name without an answer has none. */
export async function isPublished(
  resolveTxt: ResolveTxt,
  { name, value }: DomainRecord,
): Promise<boolean> {
  const records = await resolveTxt(name).catch((): string[][] => []);
  return records.some((parts) => parts.join('') === value);
}
