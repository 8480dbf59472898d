import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Plugin } from '../host/host.js';
import { asJpeg } from '../support/jpeg.js';
import { sha256 } from './files.js';

/** A document on the computer of a photographer; its exports change with each edit. */
export class WorkingDocument {
  /** Of the presets Print and Original. */
  readonly bytes: { jpg: Uint8Array; psd: Uint8Array };
  private readonly documentId: string | null;
  private edits = 0;

  /** @param isSaved  Photoshop gives a document its identity when it is saved */
  constructor(
    readonly name: string,
    isSaved = true,
  ) {
    this.documentId = isSaved ? `xmp.did:${name.replace(' ', '-')}` : null;
    this.bytes = { jpg: this.export('JPEG'), psd: this.export('PSD') };
  }

  /** Opens it in Photoshop, in front of the others. */
  open({ control: { photoshop } }: Plugin): void {
    const { name, documentId, bytes } = this;
    photoshop.openDocument({ name: `${name}.psd`, documentId, bytes });
  }

  /** The user changes the document in front, which is this one, and saves it. */
  editAndSave({ control: { photoshop } }: Plugin): void {
    this.edits += 1;
    this.bytes.jpg = this.export('JPEG');
    this.bytes.psd = this.export('PSD');
    photoshop.edit();
    photoshop.save();
  }

  /** The photo that a preset makes of it now. */
  exported(format: 'jpg' | 'psd'): { readonly name: string; readonly digest: string } {
    return { name: `${this.name}.${format}`, digest: sha256(this.bytes[format]) };
  }

  private export(format: string): Uint8Array {
    return asJpeg(Buffer.alloc(3_000, `${this.name} ${this.edits} as ${format} `));
  }
}

/** Photoshop on one computer: it may be killed and started again. */
export class Computer {
  constructor(
    private readonly storageDir: string,
    private readonly start: () => Promise<Plugin>,
    private running: Plugin,
  ) {}

  get plugin(): Plugin {
    return this.running;
  }

  /** Waits until a text is on the disk. The panel shows a choice before it is stored. */
  async stored(text: string): Promise<void> {
    await this.running.waitFor(() =>
      readdirSync(this.storageDir, { recursive: true, withFileTypes: true }).some(
        (entry) => entry.isFile() && readIfThere(join(entry.parentPath, entry.name)).includes(text),
      ),
    );
  }

  /** Kills Photoshop and starts it again. Nobody opens the panel: the plugin is loaded at start-up. */
  async restart(): Promise<Plugin> {
    this.running.kill();
    this.running = await this.start();
    // Nobody saves in the first moment after the start.
    await this.running.waitFor(() => this.running.requests.length > 0);
    return this.running;
  }

  /** Nothing has gone wrong without a word. */
  check(): void {
    const { uncaught, console, findings } = this.running;
    expect([uncaught, console, findings]).toEqual([[], [], []]);
  }
}

/** The text of a file, without the backslashes of JSON in JSON; empty when it has just been replaced or removed. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\\"', '"');
  } catch {
    return '';
  }
}
