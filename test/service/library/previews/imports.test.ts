import { describe, expect, it } from '@jest/globals';
import { importsOf } from '../../support/imports.js';

/**
 * What the service and its picture process have in common: their messages, how patches are applied, the first characters of
 * files, and where ffmpeg is; no reader of files.
 */
const SHARED = [
  'packages/image-metadata/kinds.ts',
  'packages/image-metadata/patches.ts',
  'service/library/previews/documents/document-type.ts',
  'service/library/previews/file-location.ts',
  'service/library/previews/image-info.ts',
  'service/library/previews/media-info.ts',
  'service/library/previews/picture-info.ts',
  'service/library/previews/video/find-ffmpeg.ts',
];

/** Libraries that read pictures. */
const LIBRARIES =
  /^(?:sharp|libheif-js|@hyzyla|@imagemagick|image-size|exifr|exif-reader|ag-psd)(?:\/|$)/;

describe('the modules of the service', () => {
  it('leave the reading of files to the picture process', async () => {
    const service = await importsOf(
      ['service/cli.ts', 'service/admin.ts', 'service/start.ts'],
      'any time',
    );
    const pictures = await importsOf(
      ['service/library/previews/image-worker-process.ts'],
      'any time',
    );
    // Of both graphs something was found.
    expect(service.modules).toContain('service/library/previews/image-worker.ts');
    expect(pictures.modules).toContain('packages/image-metadata/tiff.ts');
    expect(pictures.modules).toContain('packages/image-metadata/location/find-location.ts');
    expect(pictures.libraries).toContain('sharp');
    expect(service.modules.filter((one) => pictures.modules.includes(one)).sort()).toEqual(SHARED);
    expect(service.libraries.filter((one) => LIBRARIES.test(one))).toEqual([]);
  });
});
