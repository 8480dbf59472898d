import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  ByteReader,
  findLocation,
  metadataIn,
  planMetadata,
  readXmp,
  UnwritableError,
} from '../../../packages/image-metadata/index.js';
import { sourceOf, written } from '../../support/image-metadata.js';
import { SAMPLES, SECRET } from '../../support/metadata-samples.js';

/** What is expected of each sample: the blocks, the location, and the blocks after it was rewritten. */
const TABLE = readFileSync(path.join(import.meta.dirname, 'samples.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const CHANGES = { removeLocation: true, creator: 'Zoë', copyright: '© Zoë', contact: '' };

/** The blocks of metadata in a file, with their lengths in bytes. */
async function blocksIn(file: Uint8Array): Promise<string> {
  const blocks = await metadataIn(ByteReader.overBytes(file));
  return blocks.map(({ kind, data }) => `${kind} ${data.size}`).join(', ') || 'nothing';
}

async function locationIn(file: Uint8Array): Promise<string> {
  const found = await findLocation(sourceOf(file));
  if (found.kind === 'unsearchable') return found.reason;
  const { hasLocation, patches } = found;
  return `${hasLocation ? 'yes' : 'no'} (${patches.length})`;
}

/** Rewrites a file. What it does not understand it refuses. */
async function rewritten(file: Uint8Array): Promise<Buffer | null> {
  return planMetadata(sourceOf(file), CHANGES).then(written, (error: unknown) => {
    expect(error).toBeInstanceOf(UnwritableError);
    return null;
  });
}

/** The creator and the copyright in the first packet. */
async function textsIn(file: Uint8Array): Promise<Record<string, readonly string[]>> {
  const blocks = await metadataIn(ByteReader.overBytes(file));
  const packet = blocks.find(({ kind }) => kind === 'xmp')?.data;
  const bytes = await packet?.read(0, packet.size);
  const { values } = readXmp(bytes ?? new Uint8Array(0), ['dc:creator', 'dc:rights']);
  return Object.fromEntries(values);
}

describe('the table of samples', () => {
  it('has all samples', () => {
    expect(TABLE.map(([name]) => name)).toEqual(Object.keys(SAMPLES));
  });

  it.each(Object.entries(SAMPLES))('is right about %s', async (name, file) => {
    const left = await rewritten(file);
    const row = [
      name,
      await blocksIn(file),
      await locationIn(file),
      left ? await blocksIn(left) : 'refused',
    ];
    expect(row).toEqual(TABLE.find(([one]) => one === name));
    if (!left) return;
    expect(left.includes(SECRET)).toBe(false);
    expect(await findLocation(sourceOf(left))).toMatchObject({ hasLocation: false, patches: [] });
    for (const file of [left, (await rewritten(left)) ?? left])
      expect(await textsIn(file)).toEqual({ 'dc:creator': ['Zoë'], 'dc:rights': ['© Zoë'] });
  });
});
