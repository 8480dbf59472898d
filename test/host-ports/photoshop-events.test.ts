import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPhotoshopActionSteps } from '../../src/host/uxp/photoshop-action-steps.js';
import { createPhotoshopSaves } from '../../src/host/uxp/photoshop-saves.js';
import type { PhotoshopModule } from '../../src/host/uxp/photoshop-module.js';
import { createHostModules, type HostModules } from '../host/modules/index.js';

let folder: string;
let globals: Record<string, unknown>;
let modules: HostModules;
let photoshop: PhotoshopModule;

/** Lets Photoshop register listeners and fire events. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'photoshop-events-'));
  globals = {};
  modules = createHostModules({ storageDir: folder, globalOf: (name) => globals[name] });
  photoshop = modules.photoshop;
});

afterEach(() => {
  modules.control.end();
  rmSync(folder, { recursive: true, force: true });
});

describe('saves in Photoshop', () => {
  let saved: string[];
  let stop: () => void;

  beforeEach(async () => {
    saved = [];
    const saves = createPhotoshopSaves(photoshop);
    stop = saves.onSave((key) => saved.push(key));
    await settle();
    for (const name of ['Coast.psd', 'Harbour.psd'])
      modules.control.photoshop.openDocument({ name, bytes: {} });
  });

  const idOf = (name: string): number =>
    modules.photoshop.app.documents.find((document) => document.name === name)?.id ?? 0;

  it('report the document once, although Photoshop fires two events', async () => {
    modules.control.photoshop.save();
    await settle();
    expect(saved).toEqual([String(idOf('Harbour.psd'))]);
  });

  it.each<[string, object, string | null]>([
    ['the end of a save', { documentID: 7, saveStage: 'saveSucceeded' }, '7'],
    ['an event without a stage', { documentID: 7 }, '7'],
    ['the beginning of a save', { documentID: 7, saveStage: 'saveBegin' }, null],
    [
      'a beginning that is an enumeration',
      { documentID: 7, saveStage: { _enum: 'saveStageType', _value: 'saveBegin' } },
      null,
    ],
    ['a copy', { documentID: 7, saveStage: 'saveSucceeded', copy: true }, null],
    ['an event without a document: the one in front', { saveStage: 'saveSucceeded' }, 'front'],
  ])('report %s', async (_case, descriptor, expected) => {
    modules.control.photoshop.fireSave(descriptor);
    await settle();
    const front = String(idOf('Harbour.psd'));
    expect(saved).toEqual(expected === null ? [] : [expected === 'front' ? front : expected]);
  });

  it('are not reported for the plugin’s own modal scopes, nor after the subscription has ended', async () => {
    await photoshop.core.executeAsModal(
      async () => {
        modules.control.photoshop.save();
        await settle();
      },
      { commandName: 'Export', timeOut: 1 },
    );
    stop();
    modules.control.photoshop.save();
    await settle();
    expect(saved).toEqual([]);
  });
});

describe('steps of Actions in Photoshop', () => {
  it('play what was recorded, inside a modal scope, in this run and another', async () => {
    const steps = createPhotoshopActionSteps(photoshop, globals);
    const played: unknown[] = [];
    steps?.onPlay((content) => {
      played.push([content, modules.photoshop.core.isModal()]);
      return Promise.resolve();
    });
    const action = modules.control.photoshop.recordAction();
    await steps?.record('Upload: Web, Wedding', 'content');
    const [step] = action;
    if (!step) throw new Error('nothing was recorded');
    expect(step.name).toBe('Upload: Web, Wedding');
    // Recording the step again keeps what it has.
    expect(await modules.control.photoshop.playStep(step)).toEqual(step.info);
    await modules.control.photoshop.playStep({ ...step, info: {} });
    expect(played).toEqual([
      ['content', true],
      ['', true],
    ]);
  });

  it('stop the Action when the work fails', async () => {
    const steps = createPhotoshopActionSteps(photoshop, globals);
    steps?.onPlay(() => Promise.reject(new Error('not queued')));
    const action = modules.control.photoshop.recordAction();
    await steps?.record('Upload', '');
    const [step] = action;
    await expect(step && modules.control.photoshop.playStep(step)).rejects.toThrow('not queued');
  });

  it('are refused while no Action is recorded', async () => {
    const steps = createPhotoshopActionSteps(photoshop, globals);
    await expect(steps?.record('Upload', '')).rejects.toMatchObject({ code: 'CW-808' });
  });

  it('are not offered by a version without them', () => {
    const { action } = photoshop;
    const older = { ...photoshop, action: { ...action, recordAction: undefined } };
    expect(createPhotoshopActionSteps(older as never, globals)).toBeNull();
  });
});
