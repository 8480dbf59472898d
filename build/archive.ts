import { gzipSync } from 'fflate';
import { pack } from 'tar-stream';

/** A file of an archive. */
export interface ArchivedFile {
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
}

/**
 * Makes a .tar.gz that depends only on its parameters: not on the order of the files, the user or the machine.
 *
 * @param folder the folder in the archive that contains all files
 * @param files by path, with `/` between folders
 * @param time the modification time of every file
 */
export async function tarGzip(
  folder: string,
  files: ReadonlyMap<string, ArchivedFile>,
  time: Date,
): Promise<Uint8Array> {
  const archive = pack();
  for (const [path, { content, isExecutable }] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const mode = isExecutable ? 0o755 : 0o644;
    const owner = { uid: 0, gid: 0, uname: 'root', gname: 'root' };
    archive.entry({ name: `${folder}/${path}`, mode, mtime: time, ...owner }, Buffer.from(content));
  }
  archive.finalize();
  const parts: Uint8Array[] = [];
  for await (const part of archive as AsyncIterable<Uint8Array>) {
    parts.push(part);
  }
  // In JavaScript, since the output of zlib depends on its version and on the processor.
  return gzipSync(Buffer.concat(parts), { level: 9, mtime: 0 });
}
