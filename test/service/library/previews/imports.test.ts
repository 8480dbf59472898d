import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../../../..');

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

/** The modules that programs import, at run time, directly or through others; and their libraries. */
async function importsOf(
  ...programs: string[]
): Promise<{ readonly modules: string[]; readonly libraries: string[] }> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: programs,
    bundle: true,
    write: false,
    metafile: true,
    outdir: 'nowhere',
    platform: 'node',
    format: 'esm',
    packages: 'external',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    logLevel: 'silent',
  });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
  return {
    modules: Object.keys(metafile.inputs),
    libraries: [...new Set(imported.filter((one) => one.external).map((one) => one.path))],
  };
}

describe('the modules of the service', () => {
  it('leave the reading of files to the picture process', async () => {
    const service = await importsOf('service/cli.ts', 'service/admin.ts', 'service/start.ts');
    const pictures = await importsOf('service/library/previews/image-worker-process.ts');
    // Of both graphs something was found.
    expect(service.modules).toContain('service/library/previews/image-worker.ts');
    expect(pictures.modules).toContain('packages/image-metadata/tiff.ts');
    expect(pictures.modules).toContain('packages/image-metadata/location/find-location.ts');
    expect(pictures.libraries).toContain('sharp');
    expect(service.modules.filter((one) => pictures.modules.includes(one)).sort()).toEqual(SHARED);
    expect(service.libraries.filter((one) => LIBRARIES.test(one))).toEqual([]);
  });
});
