import type { LibraryFile } from '../../../src/features/library/library-file.js';

/** A file of the workspace, a picture of three by two. */
export function libraryFile(name: string, more: Partial<LibraryFile> = {}): LibraryFile {
  return {
    id: `id-${name}`,
    name,
    size: 24_300_000,
    sha256: 'ab'.repeat(32),
    type: 'image/jpeg',
    width: 6000,
    height: 4000,
    length: null,
    version: 1,
    project: null,
    sender: null,
    uploadedAt: null,
    capturedAt: null,
    approval: null,
    comments: 0,
    pageUrl: `https://service.example/photos/${name}`,
    ...more,
  };
}

/** So many files of different shapes. */
export function libraryFiles(count: number): LibraryFile[] {
  const shapes = [1.5, 0.67, 1.5, 1.78, 0.8, 5, 1, 0.5];
  return Array.from({ length: count }, (_, index) =>
    libraryFile(`f${index}.jpg`, {
      width: Math.round(4000 * (shapes[index % shapes.length] ?? 1)),
      height: 4000,
    }),
  );
}
