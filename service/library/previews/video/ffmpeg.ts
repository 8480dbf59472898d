import { spawn } from 'node:child_process';
import { findFfmpeg, isProgram } from './find-ffmpeg.js';

/** Programs of util-linux: one ends a child with its parent, the other limits memory and processor time. */
const SETPRIV = '/usr/bin/setpriv';
const PRLIMIT = '/usr/bin/prlimit';

/** The limits of one call: address space in bytes, processor time in seconds, and no file that it writes. */
const LIMITS = ['--as=1600000000', '--cpu=15', '--nofile=64', '--fsize=0', '--core=0'];

/** How long one call may take, in milliseconds, waiting for the processor included. */
const CALL_MS = 20_000;

/** The reader for each media type. ffmpeg would choose one by the content, and some follow addresses in the file. */
const FORMATS: Readonly<Record<string, string>> = {
  'video/mp4': 'mov',
  'video/x-m4v': 'mov',
  'video/quicktime': 'mov',
  'video/webm': 'matroska',
  'video/x-matroska': 'matroska',
};

/** A frame of a film to draw. */
export interface FrameJob {
  readonly file: string;
  readonly mediaType: string;
  /** In seconds from the start. */
  readonly at: number;
  /** In pixels, turned as it is shown. */
  readonly width: number;
  readonly height: number;
  readonly isHdr: boolean;
  /** Whether the key frame before this time is good enough: the others need all frames behind it. */
  readonly isNearby?: boolean;
}

/** PQ and HLG as a screen of a standard range shows them. */
const TO_STANDARD_RANGE =
  'zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=hable,zscale=t=bt709:m=bt709:r=tv,';

/** Draws frames with ffmpeg, where the operator has installed it. */
export class Ffmpeg {
  private constructor(private readonly program: string) {}

  /** See {@link findFfmpeg}. */
  static find(folders?: string): Ffmpeg | undefined {
    const program = findFfmpeg(folders);
    return program === undefined ? undefined : new Ffmpeg(program);
  }

  /** One frame as RGB with 8 bits for each channel; undefined when it cannot be drawn. */
  async frame(job: FrameJob): Promise<Buffer | undefined> {
    const pixels = await this.draw(job, job.isHdr ? TO_STANDARD_RANGE : '');
    return pixels ?? (job.isHdr ? this.draw(job, '') : undefined);
  }

  private draw(
    { file, mediaType, at, width, height, isNearby = false }: FrameJob,
    filter: string,
  ): Promise<Buffer | undefined> {
    const format = FORMATS[mediaType];
    return format === undefined
      ? Promise.resolve(undefined)
      : this.run(
          [
            ...['-v', 'quiet', '-nostdin', '-threads', '1', '-protocol_whitelist', 'file,pipe'],
            ...(isNearby ? ['-noaccurate_seek'] : []),
            ...['-ss', at.toFixed(3), '-f', format, '-i', `file:${file}`],
            ...['-map', '0:v:0', '-an', '-sn', '-dn', '-frames:v', '1', '-filter_threads', '1'],
            ...['-vf', `${filter}scale=${width}:${height}`, '-threads', '1'],
            ...['-pix_fmt', 'rgb24', '-c:v', 'rawvideo', '-f', 'rawvideo', 'pipe:1'],
          ],
          width * height * 3,
        );
  }

  /** @returns the output, if it has exactly so many bytes */
  private run(parameters: readonly string[], bytes: number): Promise<Buffer | undefined> {
    const [command = '', ...rest] = [
      ...(isProgram(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : []),
      ...(isProgram(PRLIMIT) ? [PRLIMIT, ...LIMITS, '--'] : []),
      this.program,
      ...parameters,
    ];
    return new Promise((resolve) => {
      const child = spawn(command, rest, {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: {},
        timeout: CALL_MS,
        killSignal: 'SIGKILL',
      });
      const pieces: Buffer[] = [];
      let length = 0;
      child.stdout.on('data', (piece: Buffer) => {
        length += piece.length;
        if (length > bytes) {
          child.kill('SIGKILL');
        } else {
          pieces.push(piece);
        }
      });
      child.on('error', () => {
        resolve(undefined);
      });
      child.on('exit', (_code, signal) => {
        // What it has started may still hold the output.
        if (signal !== null) {
          child.stdout.destroy();
        }
      });
      child.on('close', () => {
        resolve(length === bytes ? Buffer.concat(pieces) : undefined);
      });
    });
  }
}
