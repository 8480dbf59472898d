import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DiskFile, type Fate } from './disk-file.js';
import type { Entry, Operation } from './journal.js';

/*
 * The possible content of a disk after a power loss, for a file system that guarantees only POSIX:
 *
 * - Bytes and size of a file are durable after a flush of this file that began after the write. Before that, each page of
 *   4 KiB may have the state after any of its changes, independent of other pages. A page may be half written, at a border
 *   of 512 bytes. The size may be any earlier one. Missing pages are zeros.
 * - A name in a folder (new, removed or renamed) is durable after a flush of this folder. Before that, any of the changes
 *   may be present, also later ones without earlier ones. A rename is atomic. A flush of a file does not cover its name.
 * - The time stamps of all files are from before the restart of the machine.
 *
 * Not simulated: disks that ignore flushes, lose or change flushed data, or tear 512 bytes; permissions and owners of files;
 * file systems that show bytes of other files in missing pages (ext4 with `data=writeback`).
 */

/** When all files were changed last. */
const LONG_AGO = new Date('2001-09-09T01:46:40Z');

/** Which flushes are believed; the attack on the tests themselves leaves some out. */
export type Believes = (kind: 'file' | 'folder', place: string) => boolean;

/** A change of names that happens whole or not at all. */
interface Step {
  readonly time: number;
  readonly names: readonly {
    readonly folder: DiskFolder;
    readonly name: string;
    /** Undefined: the name is gone. */
    readonly node: DiskNode | undefined;
  }[];
}

type DiskNode = DiskFile | DiskFolder;

/** The entries of a folder, by name. */
export interface Held {
  readonly [name: string]: Buffer | Held;
}

class DiskFolder {
  readonly sure = new Map<string, DiskNode>();
  /** As the process sees it. */
  readonly seen = new Map<string, DiskNode>();
  steps: Step[] = [];

  flush(time: number): void {
    for (const step of this.steps.filter((one) => one.time < time)) {
      for (const { folder, name, node } of step.names) {
        change(folder.sure, name, node);
        folder.steps = folder.steps.filter((one) => one !== step);
      }
    }
  }

  after(chosen: ReadonlySet<Step>): Map<string, DiskNode> {
    const names = new Map(this.sure);
    for (const step of this.steps.filter((one) => chosen.has(one)))
      for (const { folder, name, node } of step.names)
        if (folder === this) change(names, name, node);
    return names;
  }
}

/** A disk on which the operations of a journal happen, one after the other. */
export class Disk {
  private readonly root: DiskFolder;
  private readonly open = new Map<string, { node: DiskNode; place: string }>();
  private readonly flushes = new Map<string, { time: number; handle: string }>();
  private time = 0;

  /** @param base a folder all of which is on the disk at the beginning. */
  constructor(
    base: string,
    private readonly believes: Believes = () => true,
  ) {
    this.root = folderFrom(base);
  }

  apply({ operation, bytes }: Pick<Entry, 'operation' | 'bytes'>): void {
    this.time += 1;
    switch (operation.kind) {
      case 'open':
        this.opened(operation);
        break;
      case 'write':
        this.file(operation.handle).write(this.time, operation.at, bytes);
        break;
      case 'resize':
        this.file(operation.handle).resize(this.time, operation.size);
        break;
      case 'resize path':
        asFile(this.find(operation.path)).resize(this.time, operation.size);
        break;
      case 'flush begins':
        this.flushes.set(operation.flush, { time: this.time, handle: operation.handle });
        break;
      case 'flush ends':
        this.flushed(operation.flush);
        break;
      case 'folder':
        this.name(operation.path, new DiskFolder());
        break;
      case 'move':
        this.moved(operation.from, operation.to);
        break;
      case 'remove':
        this.name(operation.path, undefined);
        break;
    }
  }

  /** The content of the disk after a power loss now. */
  afterLoss(random: () => number, fate: Fate): Held {
    const chosen = new Set<Step>();
    const choose = (node: DiskFolder): void => {
      const luck = random();
      const upTo = Math.floor(random() * (node.steps.length + 1));
      node.steps.forEach((step, index) => {
        const arrives = luck < 0.5 ? index < upTo : random() < 0.5;
        if (fate === 'all' || (fate === 'some' && arrives)) chosen.add(step);
      });
    };
    const held = (node: DiskFolder): Held => {
      choose(node);
      const names = [...node.after(chosen)];
      return Object.fromEntries(
        names.map(([name, one]) => [
          name,
          one instanceof DiskFolder ? held(one) : one.after(random, fate),
        ]),
      );
    };
    return held(this.root);
  }

  /** Writes the content of the disk after a power loss into an empty folder. */
  layAfterLoss(folder: string, random: () => number, fate: Fate): void {
    lay(this.afterLoss(random, fate), folder);
  }

  private opened({ handle, path: place, created, emptied }: Operation & { kind: 'open' }): void {
    if (created) this.name(place, new DiskFile());
    const node = this.find(place);
    if (emptied) asFile(node).resize(this.time, 0);
    this.open.set(handle, { node, place });
  }

  private flushed(flush: string): void {
    const begun = this.flushes.get(flush);
    const opened = this.open.get(begun?.handle ?? '');
    if (begun === undefined || opened === undefined) throw new Error(`flush ${flush} of nothing`);
    const kind = opened.node instanceof DiskFile ? 'file' : 'folder';
    if (this.believes(kind, opened.place)) opened.node.flush(begun.time);
  }

  private moved(from: string, to: string): void {
    const node = this.find(from);
    const [source, target] = [this.parent(from), this.parent(to)];
    const names = [
      { folder: source, name: path.basename(from), node: undefined },
      { folder: target, name: path.basename(to), node },
    ];
    this.step({ time: this.time, names });
  }

  private name(place: string, node: DiskNode | undefined): void {
    const names = [{ folder: this.parent(place), name: path.basename(place), node }];
    this.step({ time: this.time, names });
  }

  private step(step: Step): void {
    for (const { folder, name, node } of step.names) {
      change(folder.seen, name, node);
      if (folder.steps.at(-1) !== step) folder.steps.push(step);
    }
  }

  private file(handle: string): DiskFile {
    return asFile(this.open.get(handle)?.node);
  }

  private parent(place: string): DiskFolder {
    const node = this.find(path.dirname(place));
    if (node instanceof DiskFile) throw new Error(`${place} is in a file`);
    return node;
  }

  private find(place: string): DiskNode {
    let node: DiskNode = this.root;
    for (const name of place.split('/').filter((part) => part !== '' && part !== '.')) {
      const next: DiskNode | undefined =
        node instanceof DiskFolder ? node.seen.get(name) : undefined;
      if (next === undefined) throw new Error(`the journal has no ${place}`);
      node = next;
    }
    return node;
  }
}

function folderFrom(base: string): DiskFolder {
  const folder = new DiskFolder();
  for (const entry of readdirSync(base, { withFileTypes: true })) {
    const place = path.join(base, entry.name);
    const node = entry.isDirectory() ? folderFrom(place) : new DiskFile(place);
    folder.sure.set(entry.name, node);
    folder.seen.set(entry.name, node);
  }
  return folder;
}

function lay(held: Held, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, one] of Object.entries(held)) {
    const at = path.join(folder, name);
    if (Buffer.isBuffer(one)) writeFileSync(at, one, { mode: 0o600 });
    else lay(one, at);
    utimesSync(at, LONG_AGO, LONG_AGO);
  }
}

function change(names: Map<string, DiskNode>, name: string, node: DiskNode | undefined): void {
  if (node === undefined) names.delete(name);
  else names.set(name, node);
}

function asFile(node: DiskNode | undefined): DiskFile {
  if (!(node instanceof DiskFile)) throw new Error('not a file that the journal opened');
  return node;
}
