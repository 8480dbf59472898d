import { describe, expect, it, jest } from '@jest/globals';

import { Observable } from '../../src/util/observable.js';
import { panelMenu } from '../../src/panel/menu.js';
import { en, stringsIn } from '../ui/i18n/translations.js';
import type { UploadControls } from '../../src/features/uploads/panel.js';
import type { UploadManagerState } from '../../src/features/uploads/upload-manager.js';

type Calls = Pick<UploadControls, 'pause' | 'resume'> & { addPhotos(): Promise<void> };

function menuWith(calls: Partial<Calls>, paused = false, disconnect = jest.fn<() => void>()) {
  const onUnexpectedError = jest.fn<(fault: unknown) => void>();
  const copyDiagnostics = jest.fn(() => Promise.resolve());
  const uploadState = new Observable({ paused } as UploadManagerState);
  const translations = new Observable(en);
  const menu = panelMenu({
    translations,
    uploadState,
    uploads: calls as Calls,
    signIn: { start: () => undefined },
    addPhotos: () => (calls as Calls).addPhotos(),
    disconnect,
    copyDiagnostics,
    onUnexpectedError,
  });
  const select = async (id: string): Promise<void> => {
    menu.find((item) => item.id === id)?.onSelect();
    await new Promise((done) => setTimeout(done));
  };
  return { menu, select, copyDiagnostics, onUnexpectedError, uploadState, translations };
}

describe('the panel’s menu', () => {
  it('has these entries', () => {
    expect(menuWith({}).menu.map(({ id, label }) => [id, label])).toEqual([
      ['add-photos', 'Add photos'],
      ['pause-or-resume', 'Pause'],
      ['another-account', 'Use another account'],
      ['copy-diagnostics', 'Copy diagnostics'],
      ['disconnect', 'Disconnect'],
    ]);
  });

  it('returns before anything happens', () => {
    const disconnect = jest.fn<() => void>();
    const { menu } = menuWith({}, false, disconnect);
    menu.find(({ id }) => id === 'disconnect')?.onSelect();
    expect(disconnect).not.toHaveBeenCalled();
  });

  it.each([
    [false, 'pause'],
    [true, 'resume'],
  ])('with paused %s chooses %s', async (paused, expected) => {
    const called: string[] = [];
    const { select } = menuWith(
      { pause: () => void called.push('pause'), resume: () => void called.push('resume') },
      paused,
    );
    await select('pause-or-resume');
    expect(called).toEqual([expected]);
  });

  it('names what pausing or going on will do, as things stand', () => {
    const { menu, uploadState } = menuWith({});
    const labels: string[] = [];
    for (const item of menu) item.onRelabel?.((label) => labels.push(`${item.id}: ${label}`));
    uploadState.set({ paused: true } as UploadManagerState);
    uploadState.set({ paused: true } as UploadManagerState);
    uploadState.set({ paused: false } as UploadManagerState);
    expect(labels).toEqual(['pause-or-resume: Resume', 'pause-or-resume: Pause']);
    expect(menuWith({}, true).menu.map(({ label }) => label)).toContain('Resume');
  });

  it('is in another language as soon as its texts have been read', () => {
    const { menu, translations } = menuWith({}, true);
    const labels: string[] = [];
    for (const item of menu) item.onRelabel?.((label) => labels.push(label));
    const de = stringsIn('de');
    translations.set(de);
    expect(labels).toEqual([
      de.addPhotos,
      de.resume,
      de.anotherAccount,
      de.copyDiagnostics,
      de.disconnect,
    ]);
  });

  it('has the diagnostics copied, and hands on that it did not work', async () => {
    const { select, copyDiagnostics, onUnexpectedError } = menuWith({});
    await select('copy-diagnostics');
    expect(copyDiagnostics).toHaveBeenCalledTimes(1);
    expect(onUnexpectedError).not.toHaveBeenCalled();
    copyDiagnostics.mockRejectedValueOnce(new Error('x'));
    await select('copy-diagnostics');
    expect(onUnexpectedError).toHaveBeenCalledWith(new Error('x'));
  });

  it('does not open a second picker over the first', async () => {
    const closers: (() => void)[] = [];
    const addPhotos = jest.fn(() => new Promise<void>((close) => closers.push(close)));
    const { select } = menuWith({ addPhotos });
    await select('add-photos');
    await select('add-photos');
    expect(addPhotos).toHaveBeenCalledTimes(1);
    closers[0]?.();
    await select('add-photos');
    await select('add-photos');
    expect(addPhotos).toHaveBeenCalledTimes(2);
  });

  it.each([
    [
      'thrown',
      () => {
        throw new Error('x');
      },
    ],
    ['rejected', () => Promise.reject(new Error('x'))],
  ])('hands a %s error on, and the entry works again', async (_how, fails) => {
    const addPhotos = jest.fn<() => Promise<void>>(fails);
    const { select, onUnexpectedError } = menuWith({ addPhotos });
    await select('add-photos');
    expect(onUnexpectedError).toHaveBeenCalledWith(new Error('x'));
    await select('add-photos');
    expect(addPhotos).toHaveBeenCalledTimes(2);
  });
});
