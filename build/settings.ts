import { isIpLiteral } from '../uxp-api/network-domains.js';
import { isSecure, parseHttpUrl } from '../src/util/url.js';

/** What a build is for; see "Build-time settings" in the README. */
export interface BuildSettings {
  /** The origin of the service: scheme, host and port, without a slash at the end. */
  readonly serviceBaseUrl: string;
  readonly clientId: string;
  /** Scopes, separated by single spaces. */
  readonly scope: string;
}

/** A build-time setting that no working plugin can have. The message names the variable, on one line. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** `client_id` ([RFC 6749 appendix A.1](https://www.rfc-editor.org/rfc/rfc6749#appendix-A.1)), without spaces around it. */
const CLIENT_ID = /^[!-~](?:[ -~]*[!-~])?$/;
/** `scope` ([RFC 6749 appendix A.4](https://www.rfc-editor.org/rfc/rfc6749#appendix-A.4)). */
const SCOPE = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

/**
 * Reads the settings of a build from its environment. A variable that is not set has its default; an empty one is
 * refused, as it is most often a variable of a CI system that is missing.
 * @throws {SettingError}
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
): BuildSettings {
  const {
    SERVICE_BASE_URL: baseUrl = 'http://localhost:8780',
    OAUTH_CLIENT_ID: clientId = 'creative-workspace-plugin',
    OAUTH_SCOPE: scope = 'uploads:write',
  } = environment;
  if (!CLIENT_ID.test(clientId)) {
    throw new SettingError(
      'OAUTH_CLIENT_ID must be the id of a client: printable ASCII, neither empty nor with a space at an end.',
    );
  }
  if (!SCOPE.test(scope)) {
    throw new SettingError(
      'OAUTH_SCOPE must be one or more scopes with single spaces between them, such as "uploads:write".',
    );
  }
  return { serviceBaseUrl: originOf(baseUrl), clientId, scope };
}

/** The origin of the service. A slash at the end is taken for what it is: no path. */
function originOf(baseUrl: string): string {
  if (!/^https?:\/\//i.test(baseUrl)) {
    throw new SettingError(
      'SERVICE_BASE_URL must begin with https://, or with http:// for this computer, as in https://workspace.example.',
    );
  }
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  if (isIpLiteral(host)) {
    throw new SettingError(
      `SERVICE_BASE_URL must name its host, not the IP address ${host}: newer hosts drop such entries ` +
        'from the manifest, and then every request fails with "Permission denied to the url". ' +
        'This computer is http://localhost:8780.',
    );
  }
  const url = parseHttpUrl(baseUrl);
  if (url === null) {
    throw new SettingError(
      'SERVICE_BASE_URL must be an address such as https://workspace.example or https://workspace.example:8443; write other letters of a host as punycode (xn--).',
    );
  }
  if (!isSecure(url)) {
    throw new SettingError(
      'SERVICE_BASE_URL must begin with https://: the plugin sends tokens by plain http to this computer alone.',
    );
  }
  if (url.rest !== '/') {
    throw new SettingError(
      `SERVICE_BASE_URL must end after its host and port: the service has no path before /api. Here that is ${url.origin}.`,
    );
  }
  return url.origin;
}
