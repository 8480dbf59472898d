import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInDesignDocuments } from '../../src/host/uxp/indesign-document.js';
import { createInDesignSaves } from '../../src/host/uxp/indesign-saves.js';
import type { InDesignModule } from '../../src/host/uxp/indesign-module.js';
import { createHostModules, type HostModules } from '../host/modules/index.js';
import { FakeClock } from '../support/fake-clock.js';

let folder: string;
let modules: HostModules;
let clock: FakeClock;
let saved: string[];
let stop: () => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'indesign-saves-'));
  modules = createHostModules({ storageDir: folder, uxpVersion: '9.3.0' });
  clock = new FakeClock();
  saved = [];
  const module = modules.otherApps.indesign as InDesignModule;
  stop = createInDesignSaves(module, clock).onSave((key) => saved.push(key));
  for (const name of ['Brochure.indd', 'Poster.indd'])
    modules.control.indesign.openDocument({ name, pages: ['1'], bytes: {} });
});

afterEach(() => {
  modules.control.end();
  rmSync(folder, { recursive: true, force: true });
});

/** The name of the document that a key is for. */
async function nameOf(key: string | undefined): Promise<string | undefined> {
  const module = modules.otherApps.indesign as InDesignModule;
  return (await createInDesignDocuments(module, clock, 'run:1').find(key ?? ''))?.name;
}

describe('saves in InDesign', () => {
  it.each([
    ['a save', 'Poster.indd', 'afterSave', 'document', 'Poster.indd'],
    ['a save under another name', 'Poster.indd', 'afterSaveAs', 'document', 'Poster.indd'],
    ['a save of a document behind', 'Brochure.indd', 'afterSave', 'document', 'Brochure.indd'],
    ['no copy', 'Poster.indd', 'afterSaveACopy', 'document', undefined],
    ['the document in front, if the event has none', '', 'afterSave', 'other', 'Poster.indd'],
  ] as const)('report %s', async (_what, name, type, target, expected) => {
    const { indesign } = modules.control;
    indesign.eventTarget = target;
    indesign.save(name, type);
    // The document does not answer while the event is fired.
    expect(saved).toEqual([]);
    await clock.advance(0);
    expect(saved).toHaveLength(expected === undefined ? 0 : 1);
    expect(await nameOf(saved[0])).toBe(expected);
  });

  it('are not reported after the subscription has ended', async () => {
    const { indesign } = modules.control;
    indesign.save();
    stop();
    expect(indesign.listeners).toBe(0);
    indesign.save();
    await clock.advance(0);
    expect(saved).toEqual([]);
  });
});
