import type { Target } from '../uxp-api/index.js';
import { hosts } from '../uxp-api/index.js';
import { compareVersions } from '../uxp-api/versions.js';

/** The UXP version that is assumed when the manifest names no known host: old enough to promise little. */
const unknownUxp = '7.4';

/** The oldest host that a manifest admits: everything must exist on it. */
export function oldestTarget(manifest: unknown): Target {
  const { host, featureFlags } = objectOf(manifest);
  const versions = (Array.isArray(host) ? (host as unknown[]) : [host]).map((entry) => {
    const { app, minVersion } = objectOf(entry);
    if (typeof app !== 'string' || typeof minVersion !== 'string') {
      return unknownUxp;
    }
    const row = hosts[app]?.versions.findLast(
      ([version]) => compareVersions(version, minVersion) <= 0,
    );
    return row?.[1] ?? unknownUxp;
  });
  const [oldest] = versions.sort(compareVersions);
  const flags = Object.entries(objectOf(featureFlags))
    .filter(([, value]) => value !== false)
    .map(([flag]) => flag);
  return { uxpVersion: oldest ?? unknownUxp, flags: new Set(flags) };
}

/** An object's properties, or none for anything else. */
export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
