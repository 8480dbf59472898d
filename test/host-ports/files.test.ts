import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import {
  createFiles,
  FileEntry,
  FolderEntry,
  type Files,
  FileSystem,
  PluginFs,
} from '../../src/host/uxp/files.js';
import { StorageTimeoutError } from '../../src/host/storage-retry.js';
import { FakeClock } from '../support/fake-clock.js';
import { openUxp, type UxpPorts } from './implementations.js';

const MINUTE = 60_000;

let clock: FakeClock;
let ports: UxpPorts;
let files: Files;
let folder: FolderEntry;
let file: FileEntry;
let fd: number;

beforeEach(async () => {
  clock = new FakeClock();
  ports = openUxp('8.4.0', undefined, clock);
  files = createFiles(ports.modules, clock);
  const data = await files.fileSystem.getDataFolder();
  folder = await data.createFolder('ours');
  file = await folder.createFile('Coast.mp4', { overwrite: true });
  await file.write('coast', { format: files.formats.utf8 });
  fd = await files.fs.open('plugin-data:/ours/Coast.mp4', 'r+');
});
afterEach(() => ports.dispose());

/** The milliseconds after which a call ends that the host does not answer. */
async function limitOf(call: () => Promise<unknown>): Promise<number> {
  const began = clock.now();
  const outcome = call().catch((error: unknown) => error);
  await clock.runUntil(outcome, { stepMs: MINUTE, limitMs: 24 * 60 * MINUTE });
  expect(await outcome).toBeInstanceOf(StorageTimeoutError);
  return clock.now() - began;
}

describe('the files of the host', () => {
  const overwrite = { overwrite: true };
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    'FileSystem.getDataFolder': () => files.fileSystem.getDataFolder(),
    'FileSystem.createPersistentToken': () => files.fileSystem.createPersistentToken(file),
    'FileSystem.getEntryForPersistentToken': () => files.fileSystem.getEntryForPersistentToken('t'),
    'FileEntry.copyTo': () => file.copyTo(folder, overwrite),
    'FileEntry.moveTo': () => file.moveTo(folder, { ...overwrite, newName: 'b' }),
    'FileEntry.delete': () => file.delete(),
    'FileEntry.getMetadata': () => file.getMetadata(),
    'FileEntry.read': () => file.read({ format: files.formats.binary }),
    'FileEntry.write': () => file.write('', { format: files.formats.utf8 }),
    'FolderEntry.delete': () => folder.delete(),
    'FolderEntry.getEntries': () => folder.getEntries(),
    'FolderEntry.getEntry': () => folder.getEntry('a'),
    'FolderEntry.createFile': () => folder.createFile('a', overwrite),
    'FolderEntry.createFolder': () => folder.createFolder('a'),
    'PluginFs.open': () => files.fs.open('plugin-data:/ours/a', 'w'),
    'PluginFs.close': () => files.fs.close(fd),
    'PluginFs.readFile': () => files.fs.readFile('plugin:/a', { encoding: 'utf-8' }),
    'PluginFs.read': () => files.fs.read(fd, new ArrayBuffer(1), 0, 1, 0),
    'PluginFs.write': () => files.fs.write(fd, new ArrayBuffer(1), 0, 1, 0),
  };

  it.each(Object.entries(calls))('end %s when the host does not answer', async (_, call) => {
    ports.modules.lifetime.fileFault = () => 'hang';
    expect(await limitOf(call)).toBeGreaterThan(0);
  });

  it('have no other call', () => {
    const own = [FileSystem, FileEntry, FolderEntry, PluginFs].flatMap(({ name, prototype }) =>
      Object.entries(Object.getOwnPropertyDescriptors(prototype))
        .filter(([, { value }]) => typeof value === 'function')
        .map(([member]) => `${name}.${member}`),
    );
    // These wait for the user, or for nothing.
    const others = ['pickFiles', 'pickFolder', 'pickFileToSave', 'createSessionToken', 'has'];
    const inside = ['constructor', 'copyMs', 'using'];
    const ignored = new Set([...others, ...inside]);
    expect(own.filter((name) => !ignored.has(name.split('.')[1] ?? ''))).toEqual(
      Object.keys(calls),
    );
  });

  it.each([
    ['a copy of 4 GB', 4 * 1024 ** 3, 'copyTo', 60 * MINUTE, 360 * MINUTE],
    ['a copy of 4 MB', 4 * 1024 ** 2, 'copyTo', MINUTE, 5 * MINUTE],
    ['a move of 4 GB to another folder', 4 * 1024 ** 3, 'moveTo', 60 * MINUTE, 360 * MINUTE],
    ['a copy of unknown size', null, 'copyTo', 10 * MINUTE, 120 * MINUTE],
  ] as const)('give %s the time of a slow drive', async (_, size, name, least, most) => {
    nodeFs.truncateSync(file.nativePath, size ?? 1);
    const other = await folder.createFolder('other');
    ports.modules.lifetime.fileFault = (operation) =>
      operation.name === name || (size === null && operation.name === 'getMetadata')
        ? 'hang'
        : 'run';
    const limitMs = await limitOf(() =>
      name === 'copyTo'
        ? file.copyTo(other, overwrite)
        : file.moveTo(other, { ...overwrite, newName: 'b' }),
    );
    expect(limitMs).toBeGreaterThan(least);
    expect(limitMs).toBeLessThan(most);
  });

  it('close a file that is opened late', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const before = ports.modules.control.openDescriptors();
    ports.modules.lifetime.fileFault = ({ name }) => (name === 'fs.open' ? released : 'run');
    await limitOf(() => files.fs.open('plugin-data:/ours/Coast.mp4', 'r'));
    release();
    for (let turn = 0; turn < 20; turn += 1) await clock.settle();
    expect(ports.modules.control.openDescriptors()).toBe(before);
  });

  it('write late bytes into no other file that is opened in between', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    ports.modules.lifetime.fileFault = ({ name }) => (name === 'fs.write' ? released : 'run');
    await limitOf(() => files.fs.write(fd, new ArrayBuffer(2), 0, 2, 0));
    const closing = files.fs.close(fd).catch(() => undefined);
    nodeFs.writeFileSync(nodePath.join(folder.nativePath, 'Dune.mp4'), 'dune');
    await files.fs.open('plugin-data:/ours/Dune.mp4', 'r+');
    release();
    await closing;
    expect(nodeFs.readFileSync(nodePath.join(folder.nativePath, 'Dune.mp4'), 'utf8')).toBe('dune');
    expect(nodeFs.readFileSync(file.nativePath, 'utf8')).toBe('\0\0ast');
  });
});
