import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import type { AppPreset } from '../document-export.js';
import type { FileLength } from '../photo-source.js';
import { MAX_EXPORT_MS, withinLimit } from './export-file.js';
import type { PremiereExportModule, PremiereSequence } from './premiere-module.js';
import { type FileEntry, type FileSystem, type FolderEntry, isFileEntry } from './files.js';

/** Milliseconds between two looks at the folder. A video takes minutes. */
const LOOK_EVERY_MS = 1_000;
/** After Premiere has reported the end, the file must hold still for so long: some versions report it early. */
const STILL_MS = 10_000;
/** For so long a file may be missing after that. */
const MISSING_MS = 60_000;

/** Lets the user pick an export preset of Premiere. Null when the user cancels. @throws {CwError} CW-802 */
export async function pickPresetFile(files: FileSystem): Promise<AppPreset | null> {
  try {
    const [file] = await files.pickFiles(['epr'], false);
    return file
      ? { id: await files.createPersistentToken(file), name: file.name.replace(/\.epr$/i, '') }
      : null;
  } catch (error) {
    throw new CwError('CW-802', 'the preset file could not be picked', { cause: error });
  }
}

/** The path of a preset file. @throws {CwError} CW-812 when none was chosen, or it is gone */
export async function presetPath(files: FileSystem, preset: AppPreset | null): Promise<string> {
  if (!preset) {
    throw new CwError('CW-812', 'a sequence needs an export preset');
  }
  try {
    const file = await files.getEntryForPersistentToken(preset.id);
    if (!isFileEntry(file)) {
      throw new Error('the token is for a folder');
    }
    // A token is found wrong only when it is used.
    await file.getMetadata();
    return file.nativePath;
  } catch (error) {
    throw new CwError('CW-812', 'the export preset is gone', { cause: error });
  }
}

/** Milliseconds that Premiere has for its answer about a sequence. */
export const ANSWER_MS = 5_000;

/**
 * How long a sequence is, or its part from the In to the Out point; null when Premiere does not give it in five seconds. A
 * point that is not set is outside of the sequence or no number: Premiere then exports from the start or to the end.
 */
export async function sequenceLength(
  sequence: PremiereSequence,
  inOut: boolean,
  clock: Clock,
): Promise<FileLength | null> {
  const read = async (): Promise<FileLength | null> => {
    const end = (await sequence.getEndTime()).seconds;
    const from = inOut ? (await sequence.getInPoint()).seconds : 0;
    const to = inOut ? (await sequence.getOutPoint()).seconds : end;
    const start = from > 0 ? from : 0;
    const seconds = (to > start ? to : end) - start;
    return seconds > 0 && Number.isFinite(seconds) ? { kind: 'duration', seconds } : null;
  };
  return new Promise((resolve) => {
    const give = (length: FileLength | null): void => {
      stopTimer();
      resolve(length);
    };
    const stopTimer = clock.startTimer(ANSWER_MS, () => {
      resolve(null);
    });
    read().then(give, () => {
      give(null);
    });
  });
}

/**
 * Encodes a sequence into `folder`, and gives the file when it is complete.
 * @param how  `path` of the preset file, which decides the format, and whether only the part from the In to the Out point
 *   is encoded
 * @throws {Error} when Premiere reports a failure, or nothing happens for ten minutes
 */
export async function encodeSequence(
  premiere: PremiereExportModule,
  sequence: PremiereSequence,
  how: { readonly path: string; readonly inOut: boolean },
  folder: FolderEntry,
  clock: Clock,
): Promise<FileEntry> {
  const ending = await endingOf(premiere, sequence, how.path, clock);
  const separator = folder.nativePath.includes('\\') ? '\\' : '/';
  const output = [folder.nativePath, `sequence.${ending}`].join(separator);
  const exporting = premiere.EncoderManager.getManager().exportSequence(
    sequence,
    premiere.Constants.ExportType.IMMEDIATELY,
    output,
    how.path,
    !how.inOut,
  );
  return await completeFile(folder, clock, exporting);
}

/** The ending that the preset's format has; `mp4` where Premiere does not say. */
async function endingOf(
  { EncoderManager }: PremiereExportModule,
  sequence: PremiereSequence,
  preset: string,
  clock: Clock,
): Promise<string> {
  try {
    const given = await withinLimit(clock, EncoderManager.getExportFileExtension(sequence, preset));
    return /^\.?([a-z\d]{1,5})$/i.exec(given)?.[1]?.toLowerCase() ?? 'mp4';
  } catch {
    return 'mp4';
  }
}

async function completeFile(
  folder: FolderEntry,
  clock: Clock,
  exporting: Promise<boolean>,
): Promise<FileEntry> {
  const progress = { hasEnded: false };
  const onEnd = (): void => {
    progress.hasEnded = true;
  };
  exporting.then(onEnd, onEnd);
  let before = '';
  let stillMs = 0;
  for (;;) {
    const isOver = progress.hasEnded;
    if (isOver && !(await exporting)) {
      throw new Error('Premiere exported no sequence');
    }
    const { files, state } = await look(folder);
    stillMs = state === before ? stillMs + LOOK_EVERY_MS : 0;
    before = state;
    const [file] = files;
    if (isOver && stillMs >= STILL_MS && file && files.length === 1) {
      return file;
    }
    if (stillMs >= (isOver ? MISSING_MS : MAX_EXPORT_MS)) {
      throw new Error(`Premiere wrote ${files.length} files and has stopped`);
    }
    await new Promise<void>((resolve) => {
      clock.startTimer(LOOK_EVERY_MS, resolve);
    });
  }
}

/** The files with content, and a text that differs when one of them has changed. Metadata beside a video do not count. */
async function look(
  folder: FolderEntry,
): Promise<{ readonly files: readonly FileEntry[]; readonly state: string }> {
  const files: FileEntry[] = [];
  const seen: string[] = [];
  for (const file of (await folder.getEntries()).filter(isFileEntry)) {
    // A temporary file may be gone by now.
    const { size } = await file.getMetadata().catch(() => ({ size: 0 }));
    if (size > 0 && !/\.xmp$/i.test(file.name)) {
      files.push(file);
      seen.push(`${file.name}:${size}`);
    }
  }
  return { files, state: seen.join('\n') };
}
