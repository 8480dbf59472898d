import { describe, expect, it } from '@jest/globals';
import { metadataProblem, readMetadata } from '../../../../service/library/uploads/tus/metadata.js';

describe('the name of a photo', () => {
  // @threat L9
  it.each([
    ['a\nb.jpg', 'a\ufffdb.jpg'],
    ['a\u001b[2Jb.jpg', 'a\ufffd[2Jb.jpg'],
    ['a\u0085b', 'a\ufffdb'],
    ['photo\u202egpj.exe', 'photo\ufffdgpj.exe'],
    ['a\u2028b', 'a\ufffdb'],
    ['Küste – Nacht 🌊.jpg', 'Küste – Nacht 🌊.jpg'],
    ['صورة\u200f.jpg', 'صورة\u200f.jpg'],
  ])('%j is listed as %j; the photo is not refused', (filename, name) => {
    expect(readMetadata({ filename })).toMatchObject({ name });
  });
});

describe('the metadata of a photo', () => {
  const ID = 'A-Za-z0-9_-16len';

  it('may be empty', () => {
    expect(readMetadata({})).toEqual({
      name: 'untitled',
      type: 'application/octet-stream',
      clientUploadId: undefined,
      destination: { projectId: undefined, document: undefined, replaces: undefined },
    });
    expect(readMetadata({ filename: '', filetype: null, client_upload_id: null })).toEqual(
      readMetadata({}),
    );
  });

  it('is stored sanitized', () => {
    expect(
      readMetadata({
        filename: 'one.jpg',
        filetype: 'image/\u001bjpeg',
        client_upload_id: ID,
        project: 'wedding',
        document: 'xmp.did:1 ~',
        replaces: 'none',
        version_by: 'document',
      }),
    ).toEqual({
      name: 'one.jpg',
      type: 'image/\ufffdjpeg',
      clientUploadId: ID,
      destination: {
        projectId: 'wedding',
        document: 'xmp.did:1 ~',
        replaces: 'none',
        byDocument: true,
      },
    });
  });

  it.each([
    ['a name that is as long as one may be', { filename: 'x'.repeat(255) }],
    ['a type that is', { filetype: 'x'.repeat(255) }],
    ['the longest document', { document: 'x'.repeat(200) }],
    ['the longest id', { client_upload_id: 'x'.repeat(64) }],
    ['anything else', { more: 'y'.repeat(1000) }],
  ])('may be %s', (_name, pairs) => {
    expect(readMetadata(pairs)).not.toHaveProperty('problem');
  });

  it.each([
    ['a longer name', { filename: 'x'.repeat(256) }, 'filename and filetype'],
    ['a longer type', { filetype: 'x'.repeat(256) }, 'filename and filetype'],
    ['NUL in any of it', { filename: 'one.jpg', more: 'a\0b' }, 'NUL'],
    ['a shorter id', { client_upload_id: 'x'.repeat(15) }, 'client_upload_id'],
    ['a longer id', { client_upload_id: 'x'.repeat(65) }, 'client_upload_id'],
    ['an empty id', { client_upload_id: '' }, 'client_upload_id'],
    ['an id with more before it', { client_upload_id: ` ${ID}` }, 'client_upload_id'],
    ['an empty document', { document: '' }, 'document'],
    ['a longer document', { document: 'x'.repeat(201) }, 'document'],
    ['a document that is not ASCII', { document: 'Küste' }, 'document'],
    ['a document with a line break', { document: 'a\n' }, 'document'],
    ['a longer id to replace', { replaces: 'x'.repeat(65) }, 'replaces'],
    ['a path to replace', { replaces: '../one' }, 'replaces'],
    ['an unknown rule of versions', { version_by: 'name' }, 'version_by'],
    ['an id with more after it', { client_upload_id: `${ID}.` }, 'client_upload_id'],
  ])('must not be %s', (_name, pairs, problem) => {
    expect(readMetadata(pairs)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('takes at most four kilobytes', () => {
    expect(metadataProblem(undefined)).toBeUndefined();
    expect(metadataProblem('x'.repeat(4096))).toBeUndefined();
    expect(metadataProblem('x'.repeat(4097))).toContain('4096');
  });
});
