import { isAtLeast } from '../uxp-api/versions.js';
import type { Problem } from './problem.js';
import { objectOf } from './target.js';

/** Where the rules come from. Each rule is a fact taken from these sources, in our own words. */
const SOURCES = {
  /** github.com/adobe-uxp/devtools-cli: packages/uxp-devtools-core, ManifestHelper and PluginPackageCommand. */
  adobe: 'adobe-uxp/devtools-cli',
  /** github.com/jardicc/vscode-uxp-validator: the JSON schema for manifest 5 and the checks beside it. */
  schema: 'jardicc/vscode-uxp-validator',
  /** AdobeDocs/uxp-hub: src/pages/guides/how-to/distribution, review guidelines and packaging. */
  review: 'AdobeDocs/uxp-hub',
} as const;

type Root = Readonly<Record<string, unknown>>;
/** Name, problem, what to use instead. */
type Finding = readonly [name: string, problem: string, instead: string];

/** A rule for the manifest. */
export interface ManifestRule {
  readonly title: string;
  readonly sources: readonly (keyof typeof SOURCES)[];
  /** What breaks the rule; empty for a manifest that keeps it. */
  readonly find: (manifest: Root) => readonly Finding[];
}

/** Icons are 23 px (panel) and 24 px (plugin list) wide. Files of twice that size are given by `scale`. */
const ICON_SIZES: readonly unknown[] = [23, 24];
const ICON_SCALES: readonly unknown[] = [1, 2];
const ICON_PATH = /^[\w/!#$%&'()+,\-.;= [\]]+$/;
const SCHEME = /^[0-9a-z]+$/i;
const ASCII = /^[\x20-\x7e]*$/;
const SIZES = ['minimumSize', 'maximumSize', 'preferredDockedSize', 'preferredFloatingSize'];
const CSS_NEXT: readonly unknown[] = ['boxShadow', 'transformFunctions', 'transformProperties'];
/** The first version of an app that takes a manifest of version 5. */
const MANIFEST_5: Readonly<Record<string, string>> = { PS: '23.3.0', ID: '18.5.0' };
/** What `host.data` may ask for, and the first version of Photoshop that supports it. */
const HOST_DATA_SINCE: readonly (readonly [key: string, value: unknown, since: string])[] = [
  ['apiVersion', 2, '23.0.0'],
  ['loadEvent', 'startup', '23.1.0'],
  ['enableMenuRecording', true, '25.0.0'],
];

/** Every rule that {@link brokenRules} checks. */
export const MANIFEST_RULES: readonly ManifestRule[] = [
  {
    title: 'texts that may not be empty',
    sources: ['adobe', 'schema'],
    find: (root) =>
      ['id', 'main']
        .filter((key) => root[key] !== undefined && !isText(root[key]))
        .map((key) => [key, 'must be a text that is not empty', 'such a text']),
  },
  {
    title: 'the name is a text, or has a default',
    sources: ['adobe', 'schema'],
    find: ({ name }) =>
      name === undefined || isText(name) || isText(objectOf(name)['default'])
        ? []
        : [['name', 'must be a text, or an object with a text as default', 'such a name']],
  },
  {
    title: 'the name is ASCII',
    sources: ['review'],
    find: ({ name }) =>
      typeof name !== 'string' || ASCII.test(name)
        ? []
        : [['name', 'only ASCII characters pass the review', 'a name in plain letters']],
  },
  {
    title: 'one app in each package',
    sources: ['schema', 'review'],
    find: ({ host }) =>
      Array.isArray(host)
        ? [['host', 'a list is for development only, a package is for one app', 'one object']]
        : [],
  },
  {
    title: 'data for Photoshop alone, of its types, and only what the oldest version heeds',
    sources: ['schema'],
    find: ({ host }) => {
      const { app, minVersion, data } = objectOf(host);
      if (data === undefined) {
        return [];
      }
      if (app !== 'PS') {
        return [['host.data', `${String(app)} has none, only PS does`, 'leave it out']];
      }
      const found: Finding[] = [];
      const { enableMenuRecording } = objectOf(data);
      if (enableMenuRecording !== undefined && typeof enableMenuRecording !== 'boolean') {
        found.push(['host.data.enableMenuRecording', 'must be true or false', 'true or false']);
      }
      for (const [key, value, since] of HOST_DATA_SINCE) {
        if (objectOf(data)[key] === value && !reaches(minVersion, since)) {
          found.push([`host.data.${key}`, `works from Photoshop ${since}`, 'a newer minVersion']);
        }
      }
      return found;
    },
  },
  {
    title: 'an app that takes version 5 of the manifest',
    sources: ['adobe', 'schema'],
    find: ({ host }) => {
      const { app, minVersion } = objectOf(host);
      const since = MANIFEST_5[String(app)];
      return since === undefined || minVersion === undefined || reaches(minVersion, since)
        ? []
        : [['host.minVersion', `manifest version 5 is understood from ${since}`, since]];
    },
  },
  {
    title: 'icons, of the plugin and of each panel',
    sources: ['adobe'],
    find: (root) => [
      ...(Array.isArray(root['icons']) ? [] : [noIcons('icons')]),
      ...entrypoints(root)
        .filter(({ type, icons }) => type === 'panel' && !Array.isArray(icons))
        .map(({ id }) => noIcons(`entrypoints[].icons of ${String(id)}`)),
    ],
  },
  {
    title: 'icons of the sizes and scales there are, with a path that names no scale',
    sources: ['schema'],
    find: (root) =>
      [root, ...entrypoints(root)].flatMap(({ icons }) => listOf(icons).flatMap(iconFindings)),
  },
  {
    title: 'entry points are a list with different ids',
    sources: ['schema'],
    find: (root) => {
      if (!Array.isArray(root['entrypoints']) || root['entrypoints'].length === 0) {
        return [['entrypoints', 'must be a list with at least one', 'a list of entry points']];
      }
      const ids = entrypoints(root).map(({ id }) => id);
      return ids.every(isText) && new Set(ids).size === ids.length
        ? []
        : [['entrypoints[].id', 'each needs its own text', 'different ids']];
    },
  },
  {
    title: 'labels and descriptions',
    sources: ['schema'],
    find: (root) =>
      entrypoints(root).flatMap((entry) =>
        ['label', 'description']
          .filter((key) => entry[key] !== undefined && !isLocalized(entry[key]))
          .map((key) => [
            `entrypoints[].${key}`,
            'must be a text, or an object of a default and two-letter languages',
            'such a text',
          ]),
      ),
  },
  {
    title: 'shortcuts and strings',
    sources: ['schema'],
    find: (root) => {
      const { strings } = root;
      return [
        ...(strings === undefined || isText(strings) || isObject(strings)
          ? []
          : [['strings', 'must be an object or the path of a file', 'one of them'] as const]),
        ...entrypoints(root)
          .filter(({ shortcut }) => shortcut !== undefined && !isShortcut(shortcut))
          .map(
            () =>
              ['entrypoints[].shortcut', 'must be texts for mac and win', 'such texts'] as const,
          ),
      ];
    },
  },
  {
    title: 'sizes of panels',
    sources: ['schema'],
    find: (root) =>
      entrypoints(root).flatMap((entry) =>
        SIZES.filter((key) => entry[key] !== undefined && !isSize(entry[key])).map((key) => [
          `entrypoints[].${key}`,
          'must be a width and a height in whole pixels, and no more',
          '{ width, height }',
        ]),
      ),
  },
  {
    title: 'permissions are objects and lists where they have parts',
    sources: ['schema'],
    find: (root) => {
      const permissions = root['requiredPermissions'];
      if (permissions === undefined) {
        return [];
      }
      if (!isObject(permissions)) {
        return [['requiredPermissions', 'must be an object', 'an object']];
      }
      const found: Finding[] = [];
      for (const key of ['network', 'launchProcess']) {
        if (permissions[key] !== undefined && !isObject(permissions[key])) {
          found.push([`requiredPermissions.${key}`, 'must be an object', 'an object']);
        }
      }
      const { schemes, extensions } = objectOf(permissions['launchProcess']);
      if (schemes !== undefined && !isTexts(schemes, SCHEME)) {
        found.push(['launchProcess.schemes', 'must be a list of names without ":"', 'https']);
      }
      if (extensions !== undefined && !isTexts(extensions)) {
        found.push(['launchProcess.extensions', 'must be a list of texts', 'an empty list']);
      }
      return found;
    },
  },
  {
    title: 'feature flags have their types',
    sources: ['schema'],
    find: (root) => {
      const flags = objectOf(root['featureFlags']);
      return Object.entries(flags).flatMap(([flag, value]): Finding[] => {
        const parts =
          flag === 'CSSNextSupport' && Array.isArray(value)
            ? value.every((part) => CSS_NEXT.includes(part))
            : typeof value === 'boolean';
        if (!parts) {
          return [[`featureFlags.${flag}`, 'must be true or false', 'true or false']];
        }
        if (flag === 'CSSNextSupport' && flags['enableSWCSupport'] === true) {
          return [[`featureFlags.${flag}`, 'enableSWCSupport contains it', 'leave it out']];
        }
        return [];
      });
    },
  },
];

/** Checks a manifest against what two independent checkers and the marketplace's review refuse. */
export function brokenRules(manifest: Root): Problem[] {
  return MANIFEST_RULES.flatMap(({ find, sources }) =>
    find(manifest).map(([name, problem, instead]) => ({
      file: 'manifest.json',
      name,
      problem: `${problem} (${sources.map((source) => SOURCES[source]).join(', ')})`,
      instead,
    })),
  );
}

function noIcons(name: string): Finding {
  return [name, 'packaging is refused without icons', 'a list of icon definitions'];
}

function* iconFaults(icon: Root): Generator<readonly [key: string, problem: string]> {
  for (const key of ['width', 'height']) {
    if (!ICON_SIZES.includes(icon[key])) {
      yield [key, `must be ${ICON_SIZES.join(' or ')}`];
    }
  }
  if (typeof icon['path'] === 'string' && !ICON_PATH.test(icon['path'])) {
    yield ['path', 'has characters that are refused, such as the @ of @2x'];
  }
  if (icon['scale'] !== undefined && !isChoice(icon['scale'], ICON_SCALES)) {
    yield ['scale', `must be a list of ${ICON_SCALES.join(' and ')}, each once`];
  }
  for (const key of ['theme', 'species']) {
    if (icon[key] !== undefined && !isChoice(icon[key])) {
      yield [key, 'must be a list, nothing in it twice'];
    }
  }
}

function iconFindings(icon: unknown): Finding[] {
  return [...iconFaults(objectOf(icon))].map(([key, problem]) => [
    `icons[].${key}`,
    problem,
    'what the documents show',
  ]);
}

/** Whether every host that `minVersion` admits is at least `since`. True for an invalid version: reported elsewhere. */
function reaches(minVersion: unknown, since: string): boolean {
  return (
    typeof minVersion !== 'string' ||
    !/^\d+(\.\d+)*$/.test(minVersion) ||
    isAtLeast(minVersion, since)
  );
}

function entrypoints(root: Root): Root[] {
  return listOf(root['entrypoints']).map(objectOf);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function isObject(value: unknown): value is Root {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isTexts(value: unknown, form = /./): boolean {
  return Array.isArray(value) && value.every((item) => isText(item) && form.test(item));
}

function isChoice(value: unknown, of?: readonly unknown[]): boolean {
  return (
    Array.isArray(value) &&
    new Set(value).size === value.length &&
    value.every((item) => of === undefined || of.includes(item))
  );
}

function isLocalized(value: unknown): boolean {
  if (typeof value === 'string') {
    return true;
  }
  return (
    isObject(value) &&
    typeof value['default'] === 'string' &&
    Object.entries(value).every(
      ([key, text]) => typeof text === 'string' && /^(default|[a-z]{2})$/i.test(key),
    )
  );
}

function isShortcut(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(([key, text]) => /^(mac|win)$/.test(key) && isText(text))
  );
}

function isSize(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.keys(value).sort().join() === 'height,width' &&
    Object.values(value).every(Number.isInteger)
  );
}
