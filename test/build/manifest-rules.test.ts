import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hosts } from '../../build/hosts.js';
import { completeManifest } from '../../build/manifest.js';
import { brokenRules, MANIFEST_RULES } from '../../build/manifest-rules.js';

const source = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'manifest.json'), 'utf8'),
) as Record<string, unknown>;

const icon = { width: 23, height: 23, path: 'icons/a.png', scale: [1, 2], theme: ['dark'] };
const panel = { type: 'panel', id: 'a', label: { default: 'A' }, icons: [icon] };
const good = {
  manifestVersion: 5,
  id: 'com.example.tiny',
  name: 'Tiny plugin',
  version: '1.2.3',
  main: 'index.html',
  host: { app: 'PS', minVersion: '26.9.0', data: { apiVersion: 2 } },
  entrypoints: [panel],
  icons: [icon],
};

const data = (more: object, minVersion = '26.9.0'): object => ({
  host: { app: 'PS', minVersion, data: more },
});
const icons = (more: object): object => ({ icons: [{ ...icon, ...more }] });
const entry = (more: object): object => ({ entrypoints: [{ ...panel, ...more }] });
const launch = (launchProcess: unknown): object => ({ requiredPermissions: { launchProcess } });

/** Each rule by its title, and manifests that break it: the change, and the expected problem. */
const BROKEN: Readonly<Record<string, readonly (readonly [change: object, about: string])[]>> = {
  'texts that may not be empty': [
    [{ id: '' }, 'id'],
    [{ id: 7 }, 'id'],
    [{ main: '' }, 'main'],
  ],
  'the name is a text, or has a default': [
    [{ name: '' }, 'name'],
    [{ name: { de: 'Winzig' } }, 'name'],
  ],
  'the name is ASCII': [[{ name: 'Tiny plügin' }, 'ASCII']],
  'one app in each package': [
    [{ host: [good.host] }, 'one app'],
    [{ host: [] }, 'one app'],
  ],
  'data for Photoshop alone, of its types, and only what the oldest version heeds': [
    [{ host: { app: 'ID', minVersion: '21.0', data: {} } }, 'ID has none'],
    [data({ enableMenuRecording: 'yes' }), 'true or false'],
    [data({ enableMenuRecording: true }, '24.4'), '25.0.0'],
  ],
  'an app that takes version 5 of the manifest': [
    [{ host: { app: 'PS', minVersion: '22.0' } }, '23.3.0'],
    [{ host: { app: 'ID', minVersion: '18.4' } }, '18.5.0'],
  ],
  'icons, of the plugin and of each panel': [
    [{ icons: undefined }, 'without icons'],
    [entry({ icons: undefined }), 'icons of a'],
  ],
  'icons of the sizes and scales there are, with a path that names no scale': [
    [icons({ width: 48 }), '23 or 24'],
    [icons({ height: undefined }), '23 or 24'],
    [icons({ path: 'icons/a@2x.png' }), '@2x'],
    [icons({ scale: [1, 3] }), '1 and 2'],
    [icons({ scale: [1, 1] }), 'each once'],
    [icons({ theme: ['dark', 'dark'] }), 'twice'],
    [entry({ icons: [{ ...icon, species: 'generic' }] }), 'species'],
  ],
  'entry points are a list with different ids': [
    [{ entrypoints: panel }, 'must be a list'],
    [{ entrypoints: [] }, 'at least one'],
    [{ entrypoints: [panel, panel] }, 'its own text'],
    [entry({ id: '' }), 'its own text'],
  ],
  'labels and descriptions': [
    [entry({ label: { de: 'A' } }), 'label'],
    [entry({ label: { default: 'A', german: 'A' } }), 'label'],
    [entry({ description: 1 }), 'description'],
  ],
  'shortcuts and strings': [
    [{ strings: 4 }, 'strings'],
    [entry({ shortcut: { linux: 'x' } }), 'shortcut'],
    [entry({ shortcut: { mac: 1 } }), 'shortcut'],
  ],
  'sizes of panels': [
    [entry({ minimumSize: { width: 230 } }), 'minimumSize'],
    [entry({ maximumSize: { width: 230.5, height: 300 } }), 'maximumSize'],
    [entry({ preferredDockedSize: { width: 1, height: 1, depth: 1 } }), 'preferredDockedSize'],
    [entry({ preferredFloatingSize: '300x400' }), 'preferredFloatingSize'],
  ],
  'permissions are objects and lists where they have parts': [
    [{ requiredPermissions: [] }, 'an object'],
    [{ requiredPermissions: { network: 'all' } }, 'network'],
    [launch({ schemes: 'https' }), 'schemes'],
    [launch({ schemes: ['https://'] }), 'schemes'],
    [launch({ schemes: [], extensions: '' }), 'extensions'],
  ],
  'feature flags have their types': [
    [{ featureFlags: { enableAlerts: 'yes' } }, 'enableAlerts'],
    [{ featureFlags: { CSSNextSupport: ['grid'] } }, 'CSSNextSupport'],
    [{ featureFlags: { CSSNextSupport: true, enableSWCSupport: true } }, 'contains it'],
  ],
};

describe('the manifest rules of independent checkers', () => {
  it('each have an example that breaks them', () => {
    expect(Object.keys(BROKEN)).toEqual(MANIFEST_RULES.map(({ title }) => title));
  });

  it.each(
    Object.entries(BROKEN).flatMap(([title, examples]) =>
      examples.map(([change, about]) => ({ title, change, about })),
    ),
  )('$title: $change', ({ title, change, about }) => {
    const manifest = { ...good, ...change };
    const broken = MANIFEST_RULES.filter(({ find }) => find(manifest).length > 0);
    expect(broken.map((rule) => rule.title)).toEqual([title]);
    expect(brokenRules(manifest).map((problem) => Object.values(problem).join(' '))).toEqual([
      expect.stringContaining(about),
    ]);
  });

  it('accept a good manifest and ours for each app', () => {
    expect(brokenRules(good)).toEqual([]);
    expect(
      brokenRules({ ...good, featureFlags: { CSSNextSupport: ['boxShadow'], enableAlerts: true } }),
    ).toEqual([]);
    for (const host of hosts) {
      const build = { version: '1.2.3', serviceBaseUrl: 'https://workspace.example', host };
      expect(brokenRules(completeManifest(source, build))).toEqual([]);
    }
  });
});
