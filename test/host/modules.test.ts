import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import { tmpdir } from 'node:os';
import * as nodePath from 'node:path';
import { createHostModules } from './modules/index.js';
import type { HostModules, HostModulesOptions } from './modules/index.js';
import type { File } from './modules/entries.js';

let folder: string;

beforeEach(() => {
  folder = nodeFs.mkdtempSync(nodePath.join(tmpdir(), 'uxp-modules-'));
});

afterEach(() => {
  nodeFs.rmSync(folder, { recursive: true, force: true });
});

function open(options: Partial<HostModulesOptions> = {}): HostModules {
  return createHostModules({ storageDir: nodePath.join(folder, 'storage'), ...options });
}

function photo(name: string, bytes: Uint8Array): string {
  const path = nodePath.join(folder, name);
  nodeFs.writeFileSync(path, bytes);
  return path;
}

async function pickOne(host: HostModules, path: string): Promise<File> {
  host.control.pickers.answer([path]);
  const [file] = (await host.uxp.storage.localFileSystem.getFileForOpening({
    allowMultiple: true,
  })) as File[];
  if (file === undefined) throw new Error('nothing was picked');
  return file;
}

describe('secureStorage', () => {
  it('returns a stored string as bytes, also after a restart', async () => {
    await open().uxp.storage.secureStorage.setItem('session', 'héllo');

    const value = await open().uxp.storage.secureStorage.getItem('session');

    expect(value).toBeInstanceOf(Uint8Array);
    expect(Buffer.from(value ?? []).toString('utf8')).toBe('héllo');
  });

  it('refuses an empty value', async () => {
    const { secureStorage } = open().uxp.storage;
    await expect(secureStorage.setItem('session', '')).rejects.toThrow('empty');
    await expect(secureStorage.setItem('session', new Uint8Array(0))).rejects.toThrow('empty');
  });

  it('throws a TypeError for a key or a value of another type', () => {
    const { secureStorage } = open().uxp.storage;
    expect(() => secureStorage.setItem('session', 5 as unknown as string)).toThrow(TypeError);
    expect(() => secureStorage.getItem(5 as unknown as string)).toThrow(TypeError);
  });

  it('rejects for a missing key before UXP 9.0 and returns null from 9.0 on', async () => {
    const old = open({ uxpVersion: '8.4.0' }).uxp.storage.secureStorage;
    await expect(old.getItem('none')).rejects.toThrow('no such key');
    await expect(old.removeItem('none')).rejects.toThrow('no such key');
    await expect(old.clear()).rejects.toThrow('nothing to clear');

    const recent = open({ uxpVersion: '9.2.0' }).uxp.storage.secureStorage;
    await expect(recent.getItem('none')).resolves.toBeNull();
    await expect(recent.removeItem('none')).resolves.toBeUndefined();
    await expect(recent.clear()).resolves.toBeUndefined();
  });

  it('can lose everything and can refuse writes, without losing what was stored before', async () => {
    const host = open();
    const { secureStorage } = host.uxp.storage;
    await secureStorage.setItem('session', 'one');
    host.control.secureStorage.failWrites('the keychain is locked');
    await expect(secureStorage.setItem('session', 'two')).rejects.toThrow('keychain');
    expect(Buffer.from((await secureStorage.getItem('session')) ?? []).toString()).toBe('one');

    host.control.secureStorage.loseEverything();

    expect(secureStorage.length).toBe(0);
    expect(open().uxp.storage.secureStorage.length).toBe(0);
  });
});

describe('localFileSystem', () => {
  it('returns picked files read-only with their size', async () => {
    const host = open();
    const file = await pickOne(host, photo('one.jpg', new Uint8Array([1, 2, 3])));

    expect(file.name).toBe('one.jpg');
    expect((await file.getMetadata()).size).toBe(3);
    const content = await file.read({ format: host.uxp.storage.formats.binary });
    expect(new Uint8Array(content as ArrayBuffer)).toEqual(new Uint8Array([1, 2, 3]));
    await expect(file.write('x')).rejects.toBeInstanceOf(
      host.uxp.storage.errors.FileIsReadOnlyError,
    );
  });

  it('returns null for a cancelled picker, or an empty list with allowMultiple', async () => {
    const host = open();
    const { localFileSystem } = host.uxp.storage;
    host.control.pickers.answer('cancel');
    await expect(localFileSystem.getFileForOpening()).resolves.toBeNull();
    host.control.pickers.answer('cancel');
    await expect(localFileSystem.getFileForOpening({ allowMultiple: true })).resolves.toEqual([]);
  });

  it('keeps a picker open until the user answers', async () => {
    const host = open();
    const picked = host.uxp.storage.localFileSystem.getFileForOpening();
    expect(host.control.pickers.open).toBe(1);
    host.control.pickers.answer([photo('late.jpg', new Uint8Array(1))]);
    expect(((await picked) as File).name).toBe('late.jpg');
  });

  it('refuses pickers without the permission "request"', async () => {
    const host = open({ permissions: { localFileSystem: 'plugin' } });
    await expect(host.uxp.storage.localFileSystem.getFileForOpening()).rejects.toBeInstanceOf(
      host.uxp.storage.errors.PermissionDeniedError,
    );
  });

  it('opens a folder by a persistent token after a restart, until it is moved', async () => {
    const exports = nodePath.join(folder, 'exports');
    nodeFs.mkdirSync(exports);
    const first = open().uxp.storage.localFileSystem;
    const host = open();
    host.control.pickers.answer([exports]);
    const picked = await host.uxp.storage.localFileSystem.getFolder();
    if (!picked) throw new Error('nothing was picked');
    const token = await host.uxp.storage.localFileSystem.createPersistentToken(picked);
    expect((await first.getEntryForPersistentToken(token)).nativePath).toBe(exports);
    nodeFs.renameSync(exports, `${exports} 2`);
    await expect(first.getEntryForPersistentToken(token)).rejects.toThrow('unknown token');
    nodeFs.mkdirSync(exports);
    await expect(first.getEntryForPersistentToken(token)).rejects.toThrow('unknown token');
  });

  it('copies a picked file into the data folder, and refuses to do it twice', async () => {
    const host = open();
    const file = await pickOne(host, photo('one.jpg', new Uint8Array([7, 8])));
    const data = await host.uxp.storage.localFileSystem.getDataFolder();

    const copy = await file.copyTo(data);

    expect(copy.url).toBe('plugin-data:/one.jpg');
    expect(new Uint8Array((await host.fs.readFile(copy.url)) as ArrayBuffer)).toEqual(
      new Uint8Array([7, 8]),
    );
    await expect(file.copyTo(data)).rejects.toBeInstanceOf(
      host.uxp.storage.errors.EntryExistsError,
    );
  });

  it('creates a new file with its first write', async () => {
    const host = open();
    const data = await host.uxp.storage.localFileSystem.getDataFolder();
    const file = await data.createFile('list.json');
    await expect(host.fs.lstat('plugin-data:/list.json')).rejects.toThrow('ENOENT');
    await file.write('[]');
    expect((await host.fs.lstat('plugin-data:/list.json')).isFile()).toBe(true);
  });

  it('deletes files, and folders only when they are empty', async () => {
    const host = open();
    const data = await host.uxp.storage.localFileSystem.getDataFolder();
    const spool = await data.createFolder('spool');
    const file = await spool.createFile('a');
    await file.write('a');
    await expect(spool.delete()).rejects.toThrow('ENOTEMPTY');
    await expect(file.delete()).resolves.toBe(0);
    await expect(spool.delete()).resolves.toBe(0);
  });

  it('refuses to write into the plugin folder', async () => {
    const host = open();
    const plugin = await host.uxp.storage.localFileSystem.getPluginFolder();
    await expect(plugin.createFile('x')).rejects.toBeInstanceOf(
      host.uxp.storage.errors.PermissionDeniedError,
    );
  });
});

describe('fs', () => {
  it('reads and writes slices: position -1 moves along, a position of 0 or more does not', async () => {
    const { fs } = open();
    const fd = await fs.open('plugin-data:/spool', 'w+');
    await fs.write(fd, new Uint8Array([1, 2, 3, 4]).buffer, 0, 4, -1);
    await fs.write(fd, new Uint8Array([9, 9]).buffer, 1, 1, 0);
    const buffer = new ArrayBuffer(4);
    expect((await fs.read(fd, buffer, 1, 3, 0)).bytesRead).toBe(3);
    expect(new Uint8Array(buffer)).toEqual(new Uint8Array([0, 9, 2, 3]));
    expect((await fs.read(fd, buffer, 0, 4, -1)).bytesRead).toBe(0);
    await expect(fs.close(fd)).resolves.toBe(0);
    await expect(fs.close(fd)).rejects.toThrow('EBADF');
  });

  it('refuses views where an ArrayBuffer is documented', async () => {
    const { fs } = open();
    const fd = await fs.open('plugin-data:/spool', 'w');
    await expect(
      fs.write(fd, new Uint8Array(2) as unknown as ArrayBuffer, 0, 2, 0),
    ).rejects.toThrow('ArrayBuffer');
    await fs.close(fd);
  });

  it.each([
    ['an absolute path', '/etc/hostname'],
    ['a file: URL', 'file:///etc/hostname'],
    ['a way out of the data folder', 'plugin-data:/../secure-storage.json'],
  ])('refuses %s', async (_, path) => {
    await expect(open().fs.readFile(path)).rejects.toThrow('Permission denied');
  });

  it('reaches other paths with fullAccess', async () => {
    const path = photo('one.jpg', new Uint8Array([5]));
    const { fs } = open({ permissions: { localFileSystem: 'fullAccess' } });
    expect(new Uint8Array((await fs.readFile(path)) as ArrayBuffer)).toEqual(new Uint8Array([5]));
  });

  it('refuses to write to plugin:', async () => {
    await expect(open().fs.writeFile('plugin:/main.js', 'x')).rejects.toThrow('read-only');
  });

  it('accepts documented encodings only', async () => {
    const { fs } = open();
    await fs.writeFile('plugin-data:/a', 'ä', { encoding: 'utf-16be' });
    expect(new Uint8Array((await fs.readFile('plugin-data:/a')) as ArrayBuffer)).toEqual(
      new Uint8Array([0, 0xe4]),
    );
    await expect(fs.readFile('plugin-data:/a', { encoding: 'utf-16be' })).resolves.toBe('ä');
    await expect(fs.readFile('plugin-data:/a', { encoding: 'utf8' })).rejects.toThrow('encoding');
  });

  it('calls back when given a callback', async () => {
    const { fs } = open();
    await fs.writeFile('plugin-data:/a', 'a');
    const names = await new Promise((resolve) => {
      void fs.readdir('plugin-data:/', (error, result) => resolve(error ?? result));
    });
    expect(names).toEqual(['a']);
  });

  it('has the documented functions and no others', () => {
    expect(Object.keys(open().fs).sort()).toEqual(
      (
        'close copyFile lstat lstatSync mkdir open read readFile readFileSync readdir readdirSync ' +
        'rename rmdir unlink write writeFile writeFileSync'
      )
        .split(' ')
        .sort(),
    );
  });

  it('can run out of space: the write fails after a part', async () => {
    const host = open();
    host.control.disk.fullAfter(3);
    await expect(host.fs.writeFile('plugin-data:/a', 'abcdef')).rejects.toMatchObject({
      code: 'ENOSPC',
    });
    expect((await host.fs.lstat('plugin-data:/a')).size).toBe(3);

    const file = await pickOne(host, photo('big.jpg', new Uint8Array(100)));
    const data = await host.uxp.storage.localFileSystem.getDataFolder();
    await expect(file.copyTo(data)).rejects.toBeInstanceOf(host.uxp.storage.errors.OutOfSpaceError);
    host.control.disk.makeRoom();
    await expect(file.copyTo(data, { overwrite: true })).resolves.toBeDefined();
  });

  it('can make a file unreadable', async () => {
    const host = open();
    const path = photo('one.jpg', new Uint8Array(10));
    const file = await pickOne(host, path);
    host.control.disk.makeUnreadable(path);
    const data = await host.uxp.storage.localFileSystem.getDataFolder();
    await expect(file.copyTo(data)).rejects.toThrow('EIO');
  });

  it('counts open descriptors', async () => {
    const host = open();
    const fd = await host.fs.open('plugin-data:/a', 'w');
    expect(host.control.openDescriptors()).toBe(1);
    await host.fs.close(fd);
    expect(host.control.openDescriptors()).toBe(0);
  });
});

describe('shell', () => {
  it('resolves to "" and opens the browser when the user allows it', async () => {
    const host = open();
    const opened: string[] = [];
    host.control.shell.onOpen = (url) => opened.push(url);
    await expect(host.uxp.shell.openExternal('https://example.com/device')).resolves.toBe('');
    expect(opened).toEqual(['https://example.com/device']);
  });

  it('resolves to a message, and never rejects, when the user declines', async () => {
    const host = open();
    host.control.shell.allow = false;
    await expect(host.uxp.shell.openExternal('https://example.com/')).resolves.toMatch(/denied/);
  });

  it('resolves to a message for a scheme that is not granted, without a prompt', async () => {
    const host = open({ permissions: { schemes: ['https'] } });
    await expect(host.uxp.shell.openExternal('mailto:a@example.com')).resolves.toMatch(/mailto/);
    await expect(host.uxp.shell.openExternal('file:///etc/passwd')).resolves.toMatch(/file/);
    expect(host.control.shell.calls).toEqual([]);
  });
});

describe('entrypoints', () => {
  const panels = { creativeWorkspacePanel: { create: () => undefined } };

  it('is set up once, at start', () => {
    const first = open();
    first.uxp.entrypoints.setup({ panels });
    expect(() => first.uxp.entrypoints.setup({ panels })).toThrow('twice');
    const late = open();
    late.control.entrypoints.startupOver();
    expect(() => late.uxp.entrypoints.setup({ panels })).toThrow('too late');
  });

  it('refuses panels the manifest does not have and shapes the page does not describe', () => {
    const declared = [{ type: 'panel', id: 'creativeWorkspacePanel', label: 'Workspace' }] as const;
    const setup = (definition: object) => () =>
      open({ entrypoints: declared }).uxp.entrypoints.setup(definition);
    expect(setup({ panels })).not.toThrow();
    expect(setup({ panels: { other: () => undefined } })).toThrow('no panel "other"');
    expect(setup({ panels: { creativeWorkspacePanel: { update: () => undefined } } })).toThrow(
      'unknown key "update"',
    );
    expect(setup({ panels: { creativeWorkspacePanel: {} } })).toThrow('create or a show');
  });
});

describe('photoshop', () => {
  it('saves a copy of the active document inside a modal scope only', async () => {
    const host = open();
    const { app, core } = host.photoshop;
    expect(app.activeDocument).toBeNull();
    host.control.photoshop.openDocument({ name: 'beach.psd', bytes: { jpg: new Uint8Array([1]) } });
    const folderEntry = await host.uxp.storage.localFileSystem.getTemporaryFolder();
    const entry = await folderEntry.createFile('beach.jpg');
    await expect(app.activeDocument?.saveAs.jpg(entry, {}, true)).rejects.toThrow('modal');

    await core.executeAsModal(
      async () => app.activeDocument?.saveAs.jpg(entry, { quality: 10 }, true),
      { commandName: 'Export' },
    );

    expect((await entry.getMetadata()).size).toBe(1);
    expect(host.control.photoshop.copies).toEqual([
      {
        document: 'beach.psd',
        format: 'jpg',
        fileName: 'beach.jpg',
        options: { quality: 10 },
        asCopy: true,
      },
    ]);
  });

  it.each([
    ['dialog', 'modal state'],
    ['com.example.other', 'com.example.other'],
  ])('refuses a modal scope with error number 9 while %s is modal', async (modal, message) => {
    const host = open();
    host.control.photoshop.modal = modal;
    const request = host.photoshop.core.executeAsModal(() => Promise.resolve(), {
      commandName: 'Export',
      timeOut: 5,
    });
    await expect(request).rejects.toMatchObject({
      number: 9,
      message: expect.stringContaining(message),
    });
  });

  it('grants a modal scope that becomes free in time', async () => {
    const host = open();
    host.control.photoshop.modal = 'dialog';
    const request = host.photoshop.core.executeAsModal(() => Promise.resolve('done'), {
      commandName: 'Export',
      timeOut: 100,
    });
    setTimeout(() => {
      host.control.photoshop.modal = null;
    }, 5);
    expect(await request).toBe('done');
  });
});

describe('documents of photoshop', () => {
  const read = (host: HostModules, id: number): Promise<unknown[]> =>
    host.photoshop.action.batchPlay([
      { _obj: 'get', _target: [{ _property: 'XMPMetadataAsUTF8' }, { _ref: 'document', _id: id }] },
    ]);

  it('have XMP, a history and a saved state, which change as the user works', async () => {
    const host = open();
    const { photoshop } = host.control;
    photoshop.openDocument({ name: 'beach.psd', documentId: 'xmp.did:1', bytes: {} });
    const document = host.photoshop.app.activeDocument;
    const seen = async (): Promise<{
      saved: boolean | undefined;
      state: number | undefined;
      xmp: string;
    }> => {
      const [xmp] = await read(host, document?.id ?? 0);
      const state = document?.activeHistoryState.id;
      return { saved: document?.saved, state, xmp: JSON.stringify(xmp) };
    };
    const first = await seen();
    expect(first.saved).toBe(true);
    expect(first.xmp).toContain('xmp.did:1');
    photoshop.edit();
    const edited = await seen();
    expect(edited).toMatchObject({ saved: false, xmp: first.xmp });
    expect(edited.state).not.toBe(first.state);
    photoshop.undo();
    photoshop.save();
    const saved = await seen();
    expect(saved).toMatchObject({ saved: true, state: first.state });
    expect(saved.xmp).not.toBe(first.xmp);
  });

  it('give an error descriptor for a command that fails, and refuse wrong arguments', async () => {
    const host = open();
    expect(await read(host, 1)).toMatchObject([{ _obj: 'error', result: -1728 }]);
    expect(await host.photoshop.action.batchPlay([{ _obj: 'hide' }])).toMatchObject([
      { _obj: 'error' },
    ]);
    await expect(host.photoshop.action.batchPlay([{}])).rejects.toThrow('_obj');
    await expect(host.photoshop.action.batchPlay({} as never)).rejects.toThrow('list of commands');
  });

  it('fire events outside modal scopes, a save twice, and never for "all"', async () => {
    const host = open();
    const { action, core } = host.photoshop;
    const { photoshop } = host.control;
    const events: string[] = [];
    const listener = (event: string): number => events.push(event);
    await action.addNotificationListener(['open', 'close', 'save', 'select'], listener);
    await expect(action.addNotificationListener(['all'], listener)).rejects.toThrow('all');
    photoshop.openDocument({ name: 'beach.psd', bytes: {} });
    photoshop.save();
    photoshop.select('beach.psd');
    const saveSilently = (): Promise<void> => {
      photoshop.save();
      return Promise.resolve();
    };
    await core.executeAsModal(saveSilently, { commandName: 'Save' });
    photoshop.closeDocuments();
    await action.removeNotificationListener(['close'], listener);
    photoshop.openDocument({ name: 'beach.psd', bytes: {} });
    photoshop.closeDocuments();
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual(['open', 'save', 'save', 'select', 'close', 'open']);
  });
});

describe('imaging of photoshop', () => {
  it('gives pixels inside a modal scope only, and counts those not disposed of', async () => {
    const host = open();
    const { imaging, core, app } = host.photoshop;
    host.control.photoshop.openDocument({ name: 'beach.psd', bytes: {} });
    const options = {
      documentID: app.activeDocument?.id ?? 0,
      targetSize: { width: 30 },
      colorSpace: 'RGB',
      applyAlpha: true,
    };
    await expect(imaging.getPixels(options)).rejects.toThrow('modal');
    await core.executeAsModal(
      async () => {
        const { imageData } = await imaging.getPixels(options);
        expect([imageData.width, imageData.height]).toEqual([30, 20]);
        expect(typeof (await imaging.encodeImageData({ imageData, base64: true }))).toBe('string');
        expect(host.control.photoshop.undisposedImages).toBe(1);
        await imageData.dispose();
        await expect(imaging.encodeImageData({ imageData })).rejects.toThrow('disposed');
      },
      { commandName: 'Look' },
    );
    expect(host.control.photoshop.undisposedImages).toBe(0);
  });

  it.each([
    ['an unknown option', { size: 30 }, 'not documented'],
    ['half a pixel', { targetSize: { width: 0.5 } }, 'invalid'],
    ['an unknown depth', { componentSize: 12 }, 'invalid'],
    ['another document', { documentID: 1 }, 'no such document'],
  ])('refuses %s', async (_what, options, message) => {
    const host = open();
    const { imaging, core } = host.photoshop;
    host.control.photoshop.openDocument({ name: 'beach.psd', bytes: {} });
    const request = core.executeAsModal(() => imaging.getPixels(options as never), {
      commandName: 'Look',
    });
    await expect(request).rejects.toThrow(message);
  });

  it('makes JPEGs of RGB without alpha only', async () => {
    const host = open();
    const { imaging, core, app } = host.photoshop;
    host.control.photoshop.openDocument({ name: 'beach.psd', bytes: {} });
    const request = core.executeAsModal(
      async () => {
        const { imageData } = await imaging.getPixels({ documentID: app.activeDocument?.id ?? 0 });
        await imaging.encodeImageData({ imageData });
      },
      { commandName: 'Look' },
    );
    await expect(request).rejects.toThrow('RGB');
  });
});

describe('the end of a run', () => {
  it('leaves everything the plugin awaited unsettled', async () => {
    const host = open();
    let settled = false;
    const pending = host.fs.readdir('plugin-data:/').finally(() => {
      settled = true;
    });
    host.control.end();
    await open().fs.readdir('plugin-data:/');
    await open().fs.readdir('plugin-data:/');
    expect(settled).toBe(false);
    expect(pending).toBeInstanceOf(Promise);
  });
});
