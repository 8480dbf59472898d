/** The parts of a release that are computed: scripts/release.ts reads and writes the files. */
import { createHash } from 'node:crypto';
import { licenseOf, type Library } from './licenses.js';

type Json = Readonly<Record<string, unknown>>;

/** A package of package-lock.json. */
interface LockedPackage extends Json {
  readonly dev?: boolean;
  readonly version?: string;
  readonly license?: string;
  readonly optional?: boolean;
}

/** The content of package-lock.json, of version 3. */
export interface Lock extends Json {
  /** By folder; the project itself has the folder ''. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** What is checked before a release. */
export interface Candidate {
  /** The version that is to be released. */
  readonly version: string;
  /** The version in package.json. */
  readonly packageVersion: string;
  /** The output of `git status --porcelain`. */
  readonly status: string;
  /** The text of CHANGELOG.md. */
  readonly changelog: string;
}

/** Fields of package.json that an installation of the service needs. */
const KEPT_FIELDS = [
  ...['name', 'version', 'private', 'description', 'license', 'type', 'engines'],
  ...['dependencies', 'optionalDependencies'],
];
const KEPT_SCRIPTS = ['preinstall', 'service', 'service:admin'];

/** Why this state cannot be released, in one sentence for people; undefined if it can. */
export function releaseProblem(candidate: Candidate): string | undefined {
  const { version, packageVersion, status, changelog } = candidate;
  if (version !== packageVersion) {
    return `package.json has the version ${packageVersion}, not ${version}: change it there first (npm version --no-git-tag-version ${version}).`;
  }
  if (status.trim() !== '') {
    return `There are changes that are not committed:\n${status.trimEnd()}`;
  }
  if (changelogSection(changelog, version) === undefined) {
    return `CHANGELOG.md has no section that begins with “## ${version} - YYYY-MM-DD”.`;
  }
  return undefined;
}

/** The entries of a dated version in CHANGELOG.md, without the heading; undefined if there are none. */
export function changelogSection(changelog: string, version: string): string | undefined {
  for (const section of changelog.split(/^## /m).slice(1)) {
    const [heading = '', ...lines] = section.split('\n');
    const [title, date] = heading.split(' - ');
    const text = lines.join('\n').trim();
    if (title === version && /^\d{4}-\d{2}-\d{2}$/.test(date ?? '') && text !== '') {
      return text;
    }
  }
  return undefined;
}

/** The package.json of an installation: without development dependencies and the scripts that need them. */
export function productionManifest(manifest: Json): Json {
  const scripts = manifest['scripts'] as Json;
  return {
    ...picked(manifest, KEPT_FIELDS),
    scripts: picked(scripts, KEPT_SCRIPTS),
  };
}

/** The package-lock.json of an installation: the same versions, without packages that only development needs. */
export function productionLock(lock: Lock): Lock {
  const kept = Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([folder, locked]) => [folder, without(locked, ['devDependencies'])] as const);
  return { ...lock, packages: Object.fromEntries(kept) };
}

/**
 * The libraries of an installation, in the order of the lock. Optional ones have no text: which of them are installed
 * depends on the machine.
 * @param read reads the installed package in a folder, such as `node_modules/pg`
 */
export function productionLibraries(lock: Lock, read: (folder: string) => Library): Library[] {
  const packages = Object.entries(productionLock(lock).packages).filter(
    ([folder]) => folder !== '',
  );
  return packages.map(([folder, { version = '', license, optional }]) => {
    if (optional !== true) {
      return read(folder);
    }
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { name, version, license: licenseOf(name, license), text: undefined };
  });
}

/** A CycloneDX document of npm without what differs from run to run: time, serial number, folder, version of npm. */
export function reproducibleSbom(sbom: Json, name: string): Json {
  const metadata = sbom['metadata'] as Json;
  return {
    ...without(sbom, ['serialNumber']),
    metadata: {
      ...without(metadata, ['timestamp', 'tools']),
      component: { ...(metadata['component'] as Json), name },
    },
  };
}

/** The content of SHA256SUMS, which `sha256sum --check` reads. */
export function checksums(files: ReadonlyMap<string, Uint8Array>): string {
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
    .join('');
}

function picked(object: Json, names: readonly string[]): Json {
  return Object.fromEntries(
    names.filter((name) => name in object).map((name) => [name, object[name]]),
  );
}

function without(object: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
