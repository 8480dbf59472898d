import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../src/util/errors.js';
import type { DocumentFormat } from '../../src/host/document-export.js';
import { isDiskFull } from '../../src/host/uxp/data-folder.js';
import { exportError, fileNameWith, writtenFile } from '../../src/host/uxp/export-file.js';
import { createFiles, type FolderEntry } from '../../src/host/uxp/files.js';
import { hurriedClock, openUxp, type UxpPorts } from './implementations.js';

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

describe('a host error', () => {
  it.each<[string, unknown]>([
    ['by the name that storage.errors has', named('OutOfSpaceError', '')],
    ['by a message in words', new Error('The disk is out of space')],
    ['by the message of a system', new Error('write failed: No space left on device')],
    ['by the code of a system in its message', new Error('ENOSPC: write')],
  ])('is CW-703 for a full disk %s', (_how, error) => {
    expect(isDiskFull(error)).toBe(true);
    expect(exportError(error)).toMatchObject({ code: 'CW-703', cause: error });
  });

  it.each<[string, unknown]>([
    ['another name', named('PermissionDeniedError', 'not allowed')],
    ['another message', new Error('EACCES: write to /space')],
    ['a text', 'ENOSPC'],
    ['nothing', undefined],
  ])('is not CW-703 for %s', (_what, error) => {
    expect(isDiskFull(error)).toBe(false);
    expect(exportError(error)).toMatchObject({ code: 'CW-805', cause: error });
  });

  it('keeps an existing code', () => {
    const error = new CwError('CW-702', 'no space left');
    expect(exportError(error)).toBe(error);
  });
});

describe('the file name of an export', () => {
  const endings =
    'psd psb jpg jpeg png tif tiff gif bmp webp heic dng pdf indd indt idml PSD Jpg'.split(' ');

  it.each(endings)('has the format’s extension instead of %s', (ending) => {
    expect(fileNameWith(`Coast.${ending}`, 'jpg')).toBe('Coast.jpg');
  });

  it.each<[string, DocumentFormat, string]>([
    ['Untitled-1', 'png', 'Untitled-1.png'],
    ['Coast.2026', 'jpg', 'Coast.2026.jpg'],
    ['Coast.psd.psd', 'psd', 'Coast.psd.psd'],
    ['Coast.psdx', 'jpg', 'Coast.psdx.jpg'],
    ['Coast.png copy', 'jpg', 'Coast.png copy.jpg'],
    ['.psd', 'psd', 'document.psd'],
    ['', 'pdf', 'document.pdf'],
  ])('of %p as %s is %p', (name, format, expected) => {
    expect(fileNameWith(name, format)).toBe(expected);
  });
});

describe('the exported file in a folder', () => {
  let ports: UxpPorts;
  let folder: FolderEntry;

  beforeEach(async () => {
    ports = openUxp('8.4.0');
    const data = await createFiles(ports.modules, hurriedClock()).fileSystem.getDataFolder();
    folder = await data.createFolder('export');
  });
  afterEach(async () => {
    await ports.dispose();
  });

  async function write(name: string, text: string): Promise<void> {
    const file = await folder.createFile(name, { overwrite: true });
    await file.write(text, { format: ports.modules.uxp.storage.formats.utf8 });
  }

  it('is missing while the folder has only empty files and folders', async () => {
    expect(await writtenFile(folder)).toBeNull();
    await write('empty.jpg', '');
    await folder.createFolder('previews');
    expect(await writtenFile(folder)).toBeNull();
  });

  it('is the only file with content', async () => {
    await write('empty.jpg', '');
    await write('page_1.jpg', 'picture');
    expect(await writtenFile(folder)).toMatchObject({ file: { name: 'page_1.jpg' }, size: 7 });
  });

  it('is refused when several files have content', async () => {
    await write('page_1.jpg', 'picture');
    await write('page_2.jpg', 'x');
    await expect(writtenFile(folder)).rejects.toThrow('2 files');
  });
});
