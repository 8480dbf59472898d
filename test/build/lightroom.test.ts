import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { lightroomFiles } from '../../build/lightroom.js';
import { zipPlugin } from '../../build/package.js';

const ROOT = join(import.meta.dirname, '../..');

describe('the archive of the Lightroom plug-in', () => {
  it('has all files in their folder, with the version and the address of the service', async () => {
    const files = await lightroomFiles(ROOT, '1.20.3', 'https://workspace.example');
    const unpacked = unzipSync(zipPlugin(files));
    const folder = 'creative-workspace.lrplugin';
    expect(Object.keys(unpacked).sort()).toEqual(
      readdirSync(join(ROOT, 'lightroom', folder))
        .map((name) => `${folder}/${name}`)
        .sort(),
    );
    const text = (name: string): string =>
      strFromU8(unpacked[`${folder}/${name}`] ?? new Uint8Array());
    expect(text('Config.lua')).toContain(`baseUrl = 'https://workspace.example',`);
    expect(text('Info.lua')).toContain('VERSION = { major = 1, minor = 20, revision = 3 }');
    expect(text('TranslatedStrings_ja.txt')).toContain('"$$$/CreativeWorkspace/connect=接続"');
  });
});
