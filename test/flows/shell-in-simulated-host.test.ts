import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { buildPlugin } from '../../scripts/kept-build.js';
import { openPlugin, type OpenPluginOptions, type Plugin } from '../host/host.js';
import { stringsIn } from '../ui/i18n/translations.js';

const fr = stringsIn('fr');

describe('the shell of the panel', () => {
  let folder: string;
  let dist: string;
  let plugin: Plugin | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shell-'));
    dist = join(folder, 'dist');
    // Nobody listens there.
    await buildPlugin('http://localhost:9', dist);
  });
  afterEach(async () => {
    plugin?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  const open = async (options: Partial<OpenPluginOptions> = {}): Promise<Plugin> => {
    plugin = await openPlugin({
      dist,
      storageDir: join(folder, 'storage'),
      allowLoopbackHttp: true,
      host: { uiLocale: 'fr_FR' },
      ...options,
    });
    return plugin;
  };

  it('is painted in the language of the app before the plugin is loaded, which takes its place', async () => {
    const opened = await open();
    const lines = [fr.starting, fr.help];
    expect(opened.text().split('\n')).toEqual(lines);
    const labels = [fr.addPhotos, fr.pause, fr.anotherAccount, fr.copyDiagnostics, fr.disconnect];
    const menu = opened.control.entrypoints.menu('creativeWorkspacePanel');
    expect(menu.map(({ label }) => label)).toEqual(labels);
    expect(opened.labels()).toEqual([]);
    const seen = new Set<string>();
    await opened.waitFor(() => {
      seen.add(opened.text());
      return opened.text().includes(fr.welcomeText);
    });
    // No other language in between.
    expect([...seen].slice(0, -1)).toEqual(seen.size > 1 ? [lines.join('\n')] : []);
    expect(opened.root.querySelectorAll('.panel')).toHaveLength(1);
    expect([opened.uncaught, opened.findings]).toEqual([[], []]);
  });

  it.each<[string, (script: string) => void]>([
    ['is missing', (script) => rmSync(script)],
    ['is cut off', (script) => writeFileSync(script, '(()=>{')],
    ['throws', (script) => writeFileSync(script, 'throw new Error("no")')],
    ['is another one', (script) => writeFileSync(script, 'module.exports = {}')],
  ])('shows an error when the second script %s', async (_how, spoil) => {
    spoil(join(dist, 'main.js'));
    const opened = await open();
    await opened.waitFor('CW-902');
    const lines = [fr.faultTitle, fr.errors['CW-902'].replace('\u00a0', ' '), 'CW-902'];
    expect(opened.text().split('\n')).toEqual(lines);
    expect(opened.uncaught).toEqual([]);
    expect(opened.console.map(({ text }) => text).join()).toContain('CW-902: the plugin');
  });

  it('loads the plugin for an entry of the menu that is chosen at once', async () => {
    const opened = await open();
    await opened.invokeMenu('copy-diagnostics');
    await opened.waitFor(fr.copied);
  });

  it('loads the plugin while the panel is closed', async () => {
    const opened = await open({ panel: false });
    const written = (): string[] =>
      readdirSync(join(folder, 'storage'), { recursive: true, encoding: 'utf8' });
    expect(written().join()).not.toContain('records');
    await opened.waitFor(() => written().join().includes('records'));
  });
});
