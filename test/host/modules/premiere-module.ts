import * as nodeFs from 'node:fs';
import * as nodePath from 'node:path';
import type { Lifetime } from './lifetime.js';
import { HostFailure } from './lifetime.js';
import { strict } from './strict.js';

/** A sequence as the test opens it. */
interface SimulatedSequence {
  readonly name: string;
  readonly guid?: string;
  /** Where the playhead is. */
  readonly seconds: number;
  readonly width?: number;
  readonly height?: number;
  /** How long it is, in seconds. Default 92. */
  readonly length?: number;
  /**
   * The In and the Out point, in seconds. Not set by default. How the host gives such a point is documented nowhere: here
   * as the time -400,000, as Premiere's older scripts do.
   */
  readonly inOut?: readonly [number, number];
  /** Its times are never answered. */
  readonly isSilent?: boolean;
  /** The bytes of an exported frame, by extension; an extension without bytes gives no frame. */
  readonly bytes: Readonly<Record<string, Uint8Array>>;
}

/** One frame that was exported. */
interface FrameExport {
  readonly sequence: string;
  readonly seconds: number;
  readonly filename: string;
  readonly width: number;
  readonly height: number;
}

/** The test's hand on Premiere. */
export interface PremiereControl {
  /** Opens a project with this sequence in front, or with none. */
  openProject(sequence?: SimulatedSequence): void;
  closeProject(): void;
  /** The behaviour of `getActiveProject` without a project, which is not documented. Default 'null'. */
  withoutProject: 'null' | 'reject';
  /** Before 26.2.2 `frame.jpg` became `frame.jpg.jpg`. */
  doublesEnding: boolean;
  /** The file comes, in two parts, after the promise has resolved. */
  writesLate: boolean;
  /** Returns true and writes nothing. */
  writesNothing: boolean;
  readonly frames: FrameExport[];
  /**
   * How exports of sequences go: they end, as reported (default); they report the end first and write the rest on
   * `finishEncoding`; they fail, are refused, or never answer and write nothing.
   */
  encodes: 'whole' | 'early' | 'fails' | 'refuses' | 'never';
  finishEncoding(): void;
  /** The ending of the format that presets choose. */
  presetEnding: string;
  /** `isWhole`: not only from the In to the Out point. */
  readonly sequences: {
    readonly sequence: string;
    readonly preset: string;
    readonly isWhole: boolean;
  }[];
}

const DEFAULT_GUID = '0F4D7A52-8C6E-4C0A-9B4F-2D1E3F4A5B6C';

/** Exporter page. */
const endings = ['bmp', 'dpx', 'gif', 'jpg', 'exr', 'png', 'tga', 'tif'];

/**
 * `require('premierepro')`, as far as frames are exported: AdobeDocs/uxp-premiere-pro, ppro-reference/classes.
 *
 * @param write stores bytes at a path as the host itself does, past the plugin's permissions
 */
export function createPremiereModule(
  lifetime: Lifetime,
  write: (path: string, bytes: Uint8Array) => void,
): { premierepro: object; control: PremiereControl } {
  const { realm } = lifetime;
  const made = <T extends object>(name: string, members: T): T =>
    strict(name, members, realm.Error);
  const sequences = new WeakMap<object, SimulatedSequence>();
  const times = new WeakMap<object, number>();
  let project: object | null = null;

  const sequenceOf = (simulated: SimulatedSequence): object => {
    const { name, guid = DEFAULT_GUID, seconds, width = 3840, height = 2160 } = simulated;
    const { length = 92, inOut: [from, to] = [-400_000, -400_000], isSilent = false } = simulated;
    const timeAt = (at: number): Promise<object> =>
      isSilent
        ? new Promise(() => undefined)
        : lifetime.call(() => {
            const time = made('TickTime', {
              seconds: at,
              ticks: String(Math.round(at * 254_016_000_000)),
            });
            times.set(time, at);
            return time;
          });
    const sequence = made('Sequence', {
      name,
      guid: made('Guid', { toString: () => guid }),
      getPlayerPosition: () => timeAt(seconds),
      getInPoint: () => timeAt(from),
      getOutPoint: () => timeAt(to),
      getEndTime: () => timeAt(length),
      getFrameSize: () => lifetime.call(() => made('RectF', { width, height })),
    });
    sequences.set(sequence, simulated);
    return sequence;
  };

  const exportSequenceFrame = (...given: readonly unknown[]): Promise<boolean> =>
    lifetime.call(() => {
      if (given.length !== 6) throw new HostFailure(new realm.Error('Not Enough Parameters'));
      const [sequence, time, filename, filepath, width, height] = given;
      const simulated = sequences.get(sequence as object);
      const seconds = times.get(time as object);
      const areWhole = Number.isInteger(width) && Number.isInteger(height);
      if (
        simulated === undefined ||
        seconds === undefined ||
        typeof filename !== 'string' ||
        typeof filepath !== 'string' ||
        !areWhole
      )
        throw new HostFailure(new realm.Error('Invalid parameter.'));
      const ending = nodePath.extname(filename).slice(1);
      const bytes = simulated.bytes[ending];
      if (!endings.includes(ending) || bytes === undefined) return false;
      const { frames, doublesEnding, writesLate, writesNothing } = control;
      frames.push({
        sequence: simulated.name,
        seconds,
        filename,
        width: Number(width),
        height: Number(height),
      });
      // A name with folders or a colon is silently not written.
      if (writesNothing || filename !== nodePath.basename(filename) || filename.includes(':'))
        return true;
      const path = nodePath.join(filepath, doublesEnding ? `${filename}.${ending}` : filename);
      if (!writesLate) {
        write(path, bytes);
        return true;
      }
      const later = [bytes.subarray(0, bytes.length >> 1), bytes].map((part, index) =>
        setTimeout(
          () => {
            write(path, part);
          },
          150 * (index + 1),
        ),
      );
      lifetime.onEnd(() => {
        later.forEach(clearTimeout);
      });
      return true;
    });

  const IMMEDIATELY = 2;
  /** Writes the rest of a file. */
  let finish = (): void => undefined;
  const exportSequence = (...given: readonly unknown[]): Promise<boolean> => {
    const [sequence, type, output, preset, isWhole] = given;
    if (control.encodes === 'never') return new Promise(() => undefined);
    return lifetime.call(() => {
      const simulated = sequences.get(sequence as object);
      if (
        simulated === undefined ||
        type !== IMMEDIATELY ||
        typeof output !== 'string' ||
        typeof preset !== 'string' ||
        !nodeFs.existsSync(preset) ||
        typeof isWhole !== 'boolean'
      )
        throw new HostFailure(new realm.Error('Invalid parameter.'));
      if (control.encodes === 'refuses') throw new HostFailure(new realm.Error('not now'));
      const bytes = simulated.bytes[control.presetEnding];
      if (control.encodes === 'fails' || bytes === undefined) return false;
      control.sequences.push({
        sequence: simulated.name,
        preset: nodePath.basename(preset),
        isWhole,
      });
      finish = () => {
        write(output, bytes);
      };
      if (control.encodes === 'whole') finish();
      else write(output, bytes.subarray(0, bytes.length >> 1));
      return true;
    });
  };

  const control: PremiereControl = {
    openProject(sequence) {
      const active = sequence === undefined ? null : sequenceOf(sequence);
      project = made('Project', {
        name: 'Trip.prproj',
        getActiveSequence: () => lifetime.call(() => active),
      });
    },
    closeProject() {
      project = null;
    },
    withoutProject: 'null',
    doublesEnding: false,
    writesLate: false,
    writesNothing: false,
    frames: [],
    encodes: 'whole',
    finishEncoding() {
      finish();
    },
    presetEnding: 'mp4',
    sequences: [],
  };

  const premierepro = made('premierepro', {
    Project: made('Project', {
      getActiveProject: () =>
        lifetime.call(() => {
          if (project === null && control.withoutProject === 'reject')
            throw new HostFailure(new realm.Error('no project is open'));
          return project;
        }),
    }),
    Exporter: made('Exporter', { exportSequenceFrame }),
    EncoderManager: made('EncoderManagerStatic', {
      getManager: () => made('EncoderManager', { exportSequence }),
      getExportFileExtension: () => lifetime.call(() => control.presetEnding),
    }),
    Constants: made('Constants', {
      ExportType: made('ExportType', { QUEUE_TO_AME: 0, QUEUE_TO_APP: 1, IMMEDIATELY }),
    }),
  });
  return { premierepro, control };
}
