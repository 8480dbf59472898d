/**
 * Completes manifest.json for one build: the version from package.json, and the permissions that
 * follow from the service's address (network origin, schemes the browser may be opened with).
 *
 * @param {Record<string, unknown>} source  manifest.json as it stands in the repository
 * @param {{ version: string, serviceBaseUrl: string }} build
 * @returns {Record<string, unknown>}
 */
export function completeManifest(source, { version, serviceBaseUrl }) {
  const { origin, protocol } = new URL(serviceBaseUrl);
  const permissions = /** @type {Record<string, unknown>} */ (source['requiredPermissions']);
  return {
    ...source,
    version,
    requiredPermissions: {
      ...permissions,
      network: { domains: [origin] },
      launchProcess: { schemes: [protocol.replace(':', '')], extensions: [] },
    },
  };
}
