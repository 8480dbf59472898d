import type { HostApp } from './hosts.js';

type Manifest = Readonly<Record<string, unknown>>;

/** What one build of the manifest depends on. */
export interface ManifestBuild {
  /** Version of the plugin, as x.y.z. */
  readonly version: string;
  /** The origin of the service, which is the only one that the plugin may reach. */
  readonly serviceBaseUrl: string;
  readonly host: HostApp;
}

/**
 * Completes manifest.json for one build: the version from package.json, the creative app, and the permissions that
 * follow from the service's address (network origin, scheme the browser may be opened with).
 *
 * @param source manifest.json as it is in the repository
 */
export function completeManifest(
  source: Manifest,
  { version, serviceBaseUrl, host }: ManifestBuild,
): Manifest {
  const { origin, protocol } = new URL(serviceBaseUrl);
  const permissions = source['requiredPermissions'] as Manifest;
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

/** The same manifest for one creative app. A list of apps is allowed during development only (manifest guide). */
export function withHost(manifest: Manifest, host: HostApp): Manifest {
  const { app, minVersion, data, hasCommands = false } = host;
  const entrypoints = manifest['entrypoints'] as readonly Manifest[];
  return {
    ...manifest,
    host: { app, minVersion, ...(data === undefined ? {} : { data }) },
    entrypoints: entrypoints.filter(({ type }) => type !== 'command' || hasCommands),
  };
}

/** A manifest as it is written to a file. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
