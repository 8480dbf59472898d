import { describe, expect, it, jest } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import { createPlugin, startPlugin } from '../../src/plugin.js';
import { createClient } from '../../src/config.js';
import { FakeClock } from '../support/fake-clock.js';
import { asJpeg } from '../support/jpeg.js';
import {
  createMemoryHost,
  memoryPhoto,
  type MemoryHost,
  type MemoryHostOptions,
} from '../support/memory-host.js';
import { stringsIn } from '../ui/i18n/translations.js';

const SETTINGS = {
  client: createClient('https://service.example', 'client', 'uploads:write'),
  pluginVersion: '1.2.3',
  concurrency: 1,
  smallConcurrency: 1,
  chunkBytes: 1000,
};

/** Starts the plugin in a host of this kind and gives the page it draws into. */
async function started(
  info: MemoryHostOptions['info'],
  readOwnFile?: MemoryHost['readOwnFile'],
): Promise<{ page: HTMLElement; first: string; menu: string[]; log: readonly string[] }> {
  const clock = new FakeClock();
  const host = createMemoryHost({ clock, ...(info ? { info } : {}) });
  if (readOwnFile) host.readOwnFile = readOwnFile;
  startPlugin(host, SETTINGS, host.mountPanel);
  // Mounted within the call: the host does not wait.
  const { panel } = host;
  if (!panel) throw new Error('The panel was not mounted in time.');
  const labels = new Map(panel.menu.map(({ id, label }) => [id, label]));
  for (const item of panel.menu) item.onRelabel?.((label) => labels.set(item.id, label));
  const page = document.createElement('div');
  panel.show(page);
  const first = page.textContent;
  await clock.advance(500);
  return { page, first, menu: [...labels.values()], log: host.storage.log };
}

describe('a plugin that starts', () => {
  it('speaks the language of the app, in the panel and in its menu', async () => {
    const de = stringsIn('de');
    const { page, menu } = await started({ uiLocale: 'de_DE' });
    expect(page.textContent).toContain(de.welcomeText);
    expect(menu).toEqual([
      de.addPhotos,
      de.pause,
      de.anotherAccount,
      de.copyDiagnostics,
      de.disconnect,
    ]);
  });

  it('is drawn at once in English, and in another language when its texts have been read', async () => {
    const { page, first } = await started({ uiLocale: 'de_DE' });
    expect(first).toBe('');
    expect(page.querySelectorAll('.panel')).toHaveLength(1);
    expect(page.querySelector('.panel')?.getAttribute('lang')).toBe('de');
    const english = await started({ uiLocale: 'en_US' });
    expect(english.first).toContain(stringsIn('en').starting);
  });

  it('reads no catalog where it is in English', async () => {
    const read = jest.fn<MemoryHost['readOwnFile']>();
    const { page } = await started({ uiLocale: 'en_GB' }, read);
    expect(page.textContent).toContain(stringsIn('en').welcomeText);
    expect(read).not.toHaveBeenCalled();
  });

  it.each<[string, MemoryHost['readOwnFile']]>([
    ['cannot be read', () => Promise.resolve(null)],
    ['are no catalog', () => Promise.resolve('{}')],
    ['are damaged', () => Promise.resolve('{"connect":"')],
    ['are never read', () => new Promise(() => undefined)],
  ])('is in English where its texts in another language %s', async (_how, read) => {
    const { page, menu } = await started({ uiLocale: 'fr_FR' }, read);
    expect(page.textContent).toContain(stringsIn('en').welcomeText);
    expect(menu).toContain(stringsIn('en').addPhotos);
  });

  it('shows the fault in the language that is loaded later, too', async () => {
    const clock = new FakeClock();
    const host = createMemoryHost({ clock, info: { uiLocale: 'de_DE' } });
    let arrive: (text: string | null) => void = () => undefined;
    const own = host.readOwnFile('locales/de.json');
    host.readOwnFile = () =>
      new Promise((resolve) => {
        arrive = resolve;
      });
    startPlugin(host, SETTINGS, host.mountPanel);
    const page = document.createElement('div');
    host.panel?.show(page);
    await clock.advance(500);
    const choose = async (): Promise<void> => {
      host.panel?.menu.find(({ id }) => id === 'copy-diagnostics')?.onSelect();
      await clock.settle();
    };
    await choose();
    expect(page.textContent).toContain(stringsIn('en').copied);
    arrive(await own);
    await clock.advance(100);
    expect(page.textContent).not.toContain(stringsIn('en').copied);
    host.clipboardError = new CwError('CW-801', 'no clipboard');
    jest.spyOn(console, 'error').mockReturnValue();
    await choose();
    expect(page.textContent).toContain(stringsIn('de').errors['CW-801']);
  });

  it('reads the open document before anyone is connected', async () => {
    const document = {
      ...{ key: '1', name: 'Coast.psd', documentId: 'd1', stateId: 's1' },
      thumbnail: () => Promise.resolve(null),
    };
    const onChange = jest.fn(() => () => undefined);
    const openDocument = {
      current: () => Promise.resolve(document),
      find: () => Promise.resolve(null),
      onChange,
    };
    const host = { ...createMemoryHost({ clock: new FakeClock() }), openDocument };
    const plugin = createPlugin(host, SETTINGS);
    await plugin.restore();
    expect(plugin.panel.state.openDocument.get()?.document).toBe(document);
    expect(onChange).not.toHaveBeenCalled();
  });

  it('shows in the panel the outcome of an entry of its menu', async () => {
    const clock = new FakeClock();
    const host = createMemoryHost({ clock });
    startPlugin(host, SETTINGS, host.mountPanel);
    const { panel } = host;
    if (!panel) throw new Error('The panel was not mounted.');
    const page = document.createElement('div');
    panel.show(page);
    await clock.advance(100);
    const choose = async (id: string): Promise<void> => {
      panel.menu.find((entry) => entry.id === id)?.onSelect();
      await clock.settle();
    };
    const en = stringsIn('en');
    await choose('copy-diagnostics');
    expect(page.textContent).toContain(en.copied);
    const log = jest.spyOn(console, 'error').mockReturnValue();
    host.pickPhotos = () => Promise.reject(new CwError('CW-802', 'no picker'));
    await choose('add-photos');
    expect(page.textContent).not.toContain(en.copied);
    expect(page.textContent).toContain(`${en.faultTitle}${en.errors['CW-802']}CW-802`);
    expect(log.mock.calls).toEqual([['CW-802: no picker']]);
  });

  it('shows the question about photos of an earlier run when its session is no longer known', async () => {
    const clock = new FakeClock();
    const first = createMemoryHost({ clock });
    first.picks = [memoryPhoto(first.storage, 'a.jpg', asJpeg(new Uint8Array(3)))];
    startPlugin(first, SETTINGS, first.mountPanel);
    await clock.advance(100);
    first.panel?.menu.find(({ id }) => id === 'add-photos')?.onSelect();
    await clock.settle();
    const second = createMemoryHost({ clock, storage: first.storage, seed: 2 });
    startPlugin(second, SETTINGS, second.mountPanel);
    const page = document.createElement('div');
    second.panel?.show(page);
    await clock.advance(100);
    expect(page.textContent).toContain(stringsIn('en').count('photosAsk', 1));
  });

  it('reports that the app is too old, and touches nothing', async () => {
    const { page, menu, log } = await started({ platform: '8.3.1' });
    expect(page.textContent).toContain('This app is too old');
    expect(page.textContent).toContain('CW-806');
    expect(menu).toEqual([]);
    expect(log).toEqual([]);
  });

  it('works in the oldest app it names', async () => {
    const { page } = await started({ platform: '8.4.0' });
    expect(page.textContent).toContain(stringsIn('en').welcomeText);
  });
});

describe('the page of a photo', () => {
  it('is opened in the browser on the service’s own origin, and nowhere else', async () => {
    const host = createMemoryHost();
    const { actions } = createPlugin(host, SETTINGS).panel.context;
    await actions.openPage('https://service.example/photos/1');
    for (const address of [
      'https://elsewhere.example/photos/1',
      'http://service.example/photos/1',
      'https://service.example@elsewhere.example/',
      'javascript:alert(1)',
      'file:///etc/passwd',
    ])
      await expect(actions.openPage(address)).rejects.toMatchObject({ code: 'CW-304' });
    expect(host.opened).toEqual(['https://service.example/photos/1']);
  });

  it('is found from the page of all photos, which is the service’s own', async () => {
    const host = createMemoryHost();
    await createPlugin(host, SETTINGS).panel.context.actions.openPhotos();
    expect(host.opened).toEqual(['https://service.example/photos']);
  });
});
