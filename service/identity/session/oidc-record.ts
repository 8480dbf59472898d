import type { AdapterPayload } from 'oidc-provider';

/** A row of `oidc_records`, as oidc-provider's adapter needs it. */
export interface RecordRow {
  id: string;
  payload: AdapterPayload;
  consumed_at: Date | null;
}

/** oidc-provider measures the life of what it stores by the system's clock, in seconds since 1970. */
export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

export function isExpired({ exp }: { readonly exp?: number | undefined }): boolean {
  return exp !== undefined && exp <= epochSeconds();
}

/** Whether a session was stored; then a user is signed in with it. */
export function isStored({ exp }: { readonly exp?: number | undefined }): boolean {
  return exp !== undefined;
}
