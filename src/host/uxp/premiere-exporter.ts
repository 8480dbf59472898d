import type { Clock } from '../../util/clock.js';
import { CwError } from '../../util/errors.js';
import type { DocumentExporter, DocumentFormat, ExportSettings } from '../document-export.js';
import type { PhotoSource } from '../photo-source.js';
import { mediaTypeOf } from '../media-type.js';
import {
  exportError,
  identityOfPart,
  MAX_PICTURE_MS,
  notOffered,
  PICTURE_PIXELS,
  withinLimit,
  writtenFile,
} from './export-file.js';
import type { PremiereExportModule, PremiereSequence } from './premiere-module.js';
import { writeSource } from './file-source.js';
import { premiereDocumentId } from './premiere-document.js';
import {
  ANSWER_MS,
  encodeSequence,
  pickPresetFile,
  presetPath,
  sequenceLength,
} from './premiere-sequence.js';
import type { UxpSpool } from './spool.js';
import type { FileEntry, FileSystem, FolderEntry } from './files.js';

/** Exporter page: also bmp, dpx, gif, exr, tga and tif, which no photo service needs. */
const OFFERS = [
  { format: 'jpg', gives: 'frame', choices: ['metadata'] },
  { format: 'png', gives: 'frame', choices: ['metadata'] },
  // Premiere's own preset decides the format; most make an MP4.
  { format: 'mp4', gives: 'sequence', appPresets: 'file', choices: ['inOut'] },
] as const;

/**
 * Milliseconds between two polls of the file: it may appear and grow after Premiere has reported the export as done.
 */
const LOOK_EVERY_MS = 200;
const LOOKS = 50;

/**
 * Exports Premiere's active sequence, or its frame under the playhead in the sequence's own size, into the plugin's data
 * folder (EncoderManager and Exporter pages). Nothing in the project is changed.
 */
export function createPremiereExporter(
  premiere: PremiereExportModule,
  files: FileSystem,
  spool: UxpSpool,
  clock: Clock,
): DocumentExporter {
  const exportSequence = async ({
    appPreset,
    metadata,
    ...settings
  }: ExportSettings): Promise<PhotoSource> => {
    const sequence = await withinLimit(clock, activeSequence(premiere));
    const path = await presetPath(files, appPreset);
    const inOut = settings.inOut === true;
    // Before the export: the points may be moved during it.
    const length = await sequenceLength(sequence, inOut, clock);
    const source = await sourceOf(sequence, inOut, clock);
    let name = sequence.name || 'Sequence';
    const photo = await spool.importFromHost(
      name,
      async (folder, pictureFolder) => {
        await keepFrame(premiere, pictureFolder, clock);
        const file = await encodeSequence(premiere, sequence, { path, inOut }, folder, clock);
        name += /\.[A-Za-z0-9]{1,5}$/.exec(file.name)?.[0] ?? '';
        return file;
      },
      metadata,
    );
    const document = premiereDocumentId(sequence);
    return { ...photo, name, type: mediaTypeOf(name), document, length, source };
  };
  return {
    offers: OFFERS,
    documents: () => Promise.resolve([]),
    pickAppPreset: () => pickPresetFile(files),
    async lengthOf({ format, inOut }) {
      const sequence = format === 'mp4' ? await activeSequence(premiere).catch(() => null) : null;
      return sequence && (await sequenceLength(sequence, inOut === true, clock));
    },
    async exportDocument(settings) {
      const { format: wanted, metadata } = settings;
      const format = OFFERS.find((offer) => offer.format === wanted)?.format;
      if (format === undefined) {
        throw notOffered(wanted);
      }
      try {
        if (format === 'mp4') {
          return await exportSequence(settings);
        }
        const { sequence, time, width, height } = await withinLimit(clock, frameOf(premiere));
        const name = frameName(sequence.name, time.seconds, format);
        const photo = await spool.importFromHost(
          name,
          async (folder) => {
            const frame = { sequence, time, width, height };
            const isExported = await withinLimit(
              clock,
              exportFrame(premiere, frame, `frame.${format}`, folder),
            );
            if (!isExported) {
              throw new Error('Premiere exported no frame');
            }
            return await finishedFile(folder, clock);
          },
          metadata,
        );
        const identity = identityOfPart(premiereDocumentId(sequence), timeText(time.seconds));
        return { ...photo, document: identity, source: writeSource({ at: time.ticks }) };
      } catch (error) {
        throw exportError(error);
      }
    },
  };
}

/** The time at which a film begins in its sequence, in ticks; null when Premiere does not give it. */
async function sourceOf(
  sequence: PremiereSequence,
  inOut: boolean,
  clock: Clock,
): Promise<string | null> {
  const from = inOut
    ? await withinLimit(clock, sequence.getInPoint(), ANSWER_MS).catch(() => null)
    : undefined;
  return from === null ? null : writeSource({ in: from && from.seconds > 0 ? from.ticks : '0' });
}

/** A frame of a sequence, and its size in pixels. */
interface Frame {
  readonly sequence: PremiereSequence;
  readonly time: Awaited<ReturnType<PremiereSequence['getPlayerPosition']>>;
  readonly width: number;
  readonly height: number;
}

function exportFrame(
  { Exporter }: PremiereExportModule,
  { sequence, time, width, height }: Frame,
  name: string,
  folder: FolderEntry,
): Promise<boolean> {
  const sides = [Math.round(width), Math.round(height)] as const;
  return Exporter.exportSequenceFrame(sequence, time, name, folder.nativePath, ...sides);
}

/** Keeps the frame under the playhead as the picture of a film. Never rejects: a film needs none. */
async function keepFrame(
  premiere: PremiereExportModule,
  pictureFolder: () => Promise<FolderEntry>,
  clock: Clock,
): Promise<void> {
  const work = async (): Promise<void> => {
    const { width, height, ...frame } = await frameOf(premiere);
    const scale = Math.min(1, PICTURE_PIXELS / Math.max(width, height));
    const sized = { ...frame, width: width * scale, height: height * scale };
    await exportFrame(premiere, sized, 'frame.jpg', await pictureFolder());
  };
  await withinLimit(clock, work(), MAX_PICTURE_MS).catch(() => undefined);
}

/** The frame under the playhead. @throws {CwError} CW-803 */
async function frameOf(premiere: PremiereExportModule): Promise<Frame> {
  const sequence = await activeSequence(premiere);
  const time = await sequence.getPlayerPosition();
  const { width, height } = await sequence.getFrameSize();
  return { sequence, time, width, height };
}

async function activeSequence({ Project }: PremiereExportModule): Promise<PremiereSequence> {
  let sequence: PremiereSequence | null | undefined;
  try {
    const project = await Project.getActiveProject();
    sequence = await project?.getActiveSequence();
  } catch (error) {
    throw new CwError('CW-803', 'no sequence is open', { cause: error });
  }
  if (!sequence) {
    throw new CwError('CW-803', 'no sequence is open');
  }
  return sequence;
}

/**
 * The file in the folder as soon as it is there and no longer grows. It is not looked for by its name, because Premiere
 * before 26.2.2 adds a second ending to that.
 * @throws {Error} when none appears in ten seconds
 */
async function finishedFile(folder: FolderEntry, clock: Clock): Promise<FileEntry> {
  let sizeBefore = 0;
  for (let look = 0; look < LOOKS; look += 1) {
    const written = await writtenFile(folder);
    if (written?.size === sizeBefore) {
      return written.file;
    }
    sizeBefore = written?.size ?? 0;
    await new Promise<void>((resolve) => {
      clock.startTimer(LOOK_EVERY_MS, resolve);
    });
  }
  throw new Error('Premiere wrote no frame');
}

/** `Coast 00-01-05.40.jpg`: the sequence's name and the time, so that frames of one sequence have different names. */
function frameName(sequence: string, seconds: number, format: DocumentFormat): string {
  return `${sequence || 'Frame'} ${timeText(seconds)}.${format}`;
}

/** Hours, minutes, seconds and hundredths. */
function timeText(seconds: number): string {
  const hundredths = Math.max(0, Math.floor(seconds * 100));
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(hundredths / 360_000))}-${two(Math.floor(hundredths / 6_000) % 60)}-${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`;
}
