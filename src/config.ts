import { isSecure, parseHttpUrl } from './util/url.js';
import type { OAuthClient } from './oauth/client.js';

/** Build-time settings; the build replaces these names by string literals (webpack's DefinePlugin). */
declare const BUILD_SERVICE_BASE_URL: string;
declare const BUILD_OAUTH_CLIENT_ID: string;
declare const BUILD_OAUTH_SCOPE: string;
declare const BUILD_PLUGIN_VERSION: string;

/** The UXP version of the oldest app the manifest admits. */
export const MIN_UXP_VERSION = '8.4';

/** A browser opens six connections to an origin: one stays free for the token endpoint. */
export const SMALL_CONCURRENCY = 5;

export interface BuildSettings {
  readonly client: OAuthClient;
  readonly pluginVersion: string;
  /** How many uploads of large photos run at once. */
  readonly concurrency: number;
  /** How many requests run at once, and uploads of photos so small that they cost no more memory. */
  readonly smallConcurrency: number;
  /** Bytes in one request of an upload. Requests are larger where the host streams them from disk. */
  readonly chunkBytes: number;
}

/** The settings this bundle was built with. @throws {TypeError} for a base URL that cannot be used safely */
export function builtInSettings(): BuildSettings {
  return {
    client: createClient(BUILD_SERVICE_BASE_URL, BUILD_OAUTH_CLIENT_ID, BUILD_OAUTH_SCOPE),
    pluginVersion: BUILD_PLUGIN_VERSION,
    concurrency: 3,
    smallConcurrency: SMALL_CONCURRENCY,
    chunkBytes: 8 * 1024 * 1024,
  };
}

/**
 * Makes the client from its settings.
 * @throws {TypeError} when `baseUrl` is neither https nor http to this computer, or has a query or fragment
 */
export function createClient(baseUrl: string, clientId: string, scope: string): OAuthClient {
  const origin = parseHttpUrl(baseUrl);
  if (!origin || !isSecure(origin) || /[?#]/.test(origin.rest)) {
    throw new TypeError(`not a usable service base URL: ${baseUrl}`);
  }
  // Short subject: a setting of the build.
  return { baseUrl: origin.href.replace(/\/+$/, ''), origin, clientId, scope };
}
