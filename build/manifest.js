/**
 * Completes manifest.json for one build: the version from package.json, the creative app, and the
 * permissions that follow from the service's address (network origin, scheme the browser may be opened with).
 *
 * @param {Record<string, unknown>} source  manifest.json as it stands in the repository
 * @param {{ version: string, serviceBaseUrl: string, host: import('./hosts.js').HostApp }} build
 * @returns {Record<string, unknown>}
 */
export function completeManifest(source, { version, serviceBaseUrl, host }) {
  const { origin, protocol } = new URL(serviceBaseUrl);
  const permissions = /** @type {Record<string, unknown>} */ (source['requiredPermissions']);
  return withHost(
    {
      ...source,
      version,
      requiredPermissions: {
        ...permissions,
        network: { domains: [origin] },
        launchProcess: { schemes: [protocol.replace(':', '')], extensions: [] },
      },
    },
    host,
  );
}

/**
 * The same manifest for one creative app. A list of apps is allowed during development only
 * (manifest guide), so every package names one.
 *
 * @param {Record<string, unknown>} manifest
 * @param {import('./hosts.js').HostApp} host
 * @returns {Record<string, unknown>}
 */
export function withHost(manifest, { app, minVersion, data }) {
  return { ...manifest, host: { app, minVersion, ...(data === undefined ? {} : { data }) } };
}
