import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES, noSpaceCode } from '../../../src/util/errors.js';
import {
  forOtherAccount,
  identityOfFormat,
  NO_CONTEXT,
  readRecord,
  writeRecord,
  type PhotoRecord,
} from '../../../src/features/queue/photo-record.js';
import { anyText } from '../../support/arbitrary-text.js';
import fc from '../../support/properties.js';

const whole: PhotoRecord = {
  id: 'id-1',
  name: 'one.jpg',
  type: 'image/jpeg',
  size: 10,
  owner: null,
  position: 3,
  priority: 0,
  queuedAt: 1_700_000_000_000,
  uploadUrl: null,
  failure: null,
  ...NO_CONTEXT,
  replaces: null,
};

const record: fc.Arbitrary<PhotoRecord> = fc.record({
  id: fc.string({ minLength: 1 }),
  name: anyText({ minLength: 1 }),
  type: fc.string({ minLength: 1 }),
  size: fc.nat(2 ** 31 - 1),
  owner: fc.option(fc.string({ minLength: 1 })),
  position: fc.nat(),
  priority: fc.nat(),
  queuedAt: fc.integer(),
  uploadUrl: fc.option(fc.webUrl()),
  failure: fc.option(fc.constantFrom(...ERROR_CODES.filter((code) => noSpaceCode(code) === null))),
  project: fc.option(
    fc.record({
      id: fc.stringMatching(/^[\w-]{1,64}$/),
      name: fc.stringMatching(/^[a-zé]{1,20}$/),
    }),
  ),
  document: fc.option(fc.stringMatching(/^[!-~]{1,200}$/)),
  stateId: fc.option(fc.string({ minLength: 1 })),
  replaces: fc.option(fc.constantFrom('none', 'a1b2-c3')),
});

describe('the length of a file', () => {
  const read = (length: unknown): unknown =>
    readRecord('id-1', JSON.stringify({ ...whole, version: 1, length }))?.length;

  it.each([
    { kind: 'pages', pages: 24 },
    { kind: 'duration', seconds: 92.4 },
  ])('is kept: %j', (length) => {
    expect(read(length)).toEqual(length);
  });

  it.each([
    undefined,
    null,
    'long',
    { kind: 'pages', pages: 0 },
    { kind: 'pages', seconds: 3 },
    { kind: 'duration', seconds: -1 },
    { kind: 'duration', seconds: 'long' },
    { kind: 'chapters', pages: 3, seconds: 3 },
  ])('is left out, without the loss of the record: %j', (length) => {
    expect(read(length)).toBeUndefined();
    expect(readRecord('id-1', JSON.stringify({ ...whole, version: 1, length }))).toEqual(whole);
  });
});

describe('the identity of a format', () => {
  it.each([
    ['xmp.did:1', 'image/jpeg', 'xmp.did:1#image/jpeg'],
    ['xmp.did:1', 'image/VND.adobe.photoshop', 'xmp.did:1#image/vnd.adobe.photoshop'],
    ['xmp.did:1#page-200', 'image/png', 'xmp.did:1#page-200#image/png'],
    ['xmp.did:1', '', 'xmp.did:1'],
    ['xmp.did:1', 'a photo', 'xmp.did:1'],
    ['x'.repeat(190), 'image/jpeg', null],
    ['é', 'image/jpeg', null],
    [null, 'image/jpeg', null],
  ])('of %p as %p is %p', (document, type, expected) => {
    expect(identityOfFormat(document, type)).toBe(expected);
  });
});

describe('a stored record', () => {
  it('reads back as it was written', () => {
    fc.assert(
      fc.property(record, (one) => {
        expect(readRecord(one.id, writeRecord(one))).toEqual(one);
        const over = { ...one, restarted: true } as const;
        expect(readRecord(one.id, writeRecord(over))).toEqual(over);
      }),
    );
  });

  it('takes its id from its key', () => {
    expect(readRecord('other', writeRecord(whole))).toEqual({ ...whole, id: 'other' });
  });

  it.each<[string, object]>([
    ['a project without a name', { project: { id: 'p-1' } }],
    ['a project whose id fits no header', { project: { id: 'p 1', name: 'Spring' } }],
    ['a project that is no object', { project: 'p-1' }],
    ['a document beyond ASCII', { document: 'xmp.did:é' }],
    ['a document that is too long', { document: 'x'.repeat(201) }],
    ['a replaced upload that is no id', { replaces: 'u/../1' }],
    ['a begin that is no flag', { begun: 1 }],
    ['a lack of space that is none', { noSpace: 'CW-604' }],
  ])('reads back without %s', (_name, change) => {
    const text = JSON.stringify({ version: 1, ...whole, ...change });
    expect(readRecord('id-1', text)).toEqual(whole);
  });

  it('is of a photo that waits where an earlier version let it fail for lack of space', () => {
    const text = JSON.stringify({ version: 1, ...whole, failure: 'CW-606' });
    expect(readRecord('id-1', text)).toEqual({ ...whole, noSpace: 'CW-606' });
  });

  it.each(['CW-606', 'CW-620'] as const)('keeps the lack of space %s', (noSpace) => {
    const noted = { ...whole, noSpace };
    expect(readRecord('id-1', writeRecord(noted))).toEqual(noted);
  });

  it('keeps a failure only if this version has it', () => {
    const text = JSON.stringify({ version: 1, ...whole, failure: 'CW-999' });
    expect(readRecord('id-1', text)?.failure).toBeNull();
  });

  it.each([[null], [{}], [7], [undefined]])('has no owner where it is %j', (owner) => {
    const text = JSON.stringify({ version: 1, ...whole, owner });
    expect(readRecord('id-1', text)).toEqual({ ...whole, owner: null });
  });

  it.each(['name', 'type', 'size', 'position', 'queuedAt'])('is none without %s', (field) => {
    const fields: Record<string, unknown> = { version: 1, ...whole };
    Reflect.deleteProperty(fields, field);
    expect(readRecord('id-1', JSON.stringify(fields))).toBeNull();
    expect(readRecord('id-1', JSON.stringify({ ...fields, [field]: null }))).toBeNull();
    expect(readRecord('id-1', JSON.stringify({ ...fields, [field]: {} }))).toBeNull();
  });

  it.each([
    '',
    'x',
    '[]',
    'null',
    '{}',
    JSON.stringify(whole),
    JSON.stringify({ version: 2, ...whole }),
  ])('is none: %j', (text) => {
    expect(readRecord('id-1', text)).toBeNull();
  });
});

describe('the record of a photo for another account', () => {
  const project = { id: 'p-1', name: 'Spring' };

  it.each<[string, Partial<PhotoRecord>, Partial<PhotoRecord>]>([
    ['forgets what it replaces', { replaces: 'u-1' }, { replaces: null }],
    ['forgets that its project is unknown', { project, failure: 'CW-612' }, { failure: null }],
    ['keeps its project', { project, uploadUrl: 'https://service.example/u' }, { project }],
    ['keeps any other failure', { failure: 'CW-604' }, { failure: 'CW-604' }],
  ])('%s', (_name, before, after) => {
    expect(forOtherAccount({ ...whole, ...before })).toMatchObject(after);
  });
});
