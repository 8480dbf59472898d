/**
 * Compares the facts of films with those of ffprobe: `npx tsx scripts/compare-films.ts FOLDER`. Run it before a change of the readers,
 * with public files such as the test files of Vanilagy/mediabunny, mozilla/mp4parse-rust and sannies/mp4parser. It prints a line for
 * each file that differs, then how many agree in each fact.
 * @packageDocumentation
 */
import { execFile } from 'node:child_process';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ByteReader } from '../packages/image-metadata/index.js';
import { readVideo } from '../service/library/previews/video/read-video.js';

const run = promisify(execFile);

const FILMS = /\.(mp4|m4v|mov|webm)$/i;

/** Durations may differ so much, in seconds, and frame rates by this part: ffprobe rounds, and counts some frames twice. */
const DURATION_SECONDS = 0.1;
const RATE_PART = 0.02;

/** Names of ffprobe for codecs that have another one here. All others without a name are `other`. */
const NAMED = ['h264', 'hevc', 'vp8', 'vp9', 'av1', 'prores', 'aac', 'opus', 'vorbis', 'mp3'];
const HDR = ['smpte2084', 'arib-std-b67'];

interface Stream {
  readonly codec_type?: string;
  readonly codec_name?: string;
  readonly width?: number;
  readonly height?: number;
  readonly sample_aspect_ratio?: string;
  readonly avg_frame_rate?: string;
  readonly color_transfer?: string;
  readonly disposition?: { readonly attached_pic?: number };
  readonly side_data_list?: readonly { readonly rotation?: number }[];
}

/** What is compared. A fact that a program lacks is undefined. */
interface Facts {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly duration?: number | undefined;
  readonly frameRate?: number | undefined;
  readonly videoCodec?: string | undefined;
  readonly audioCodec?: string | undefined;
  readonly isHdr: boolean;
}

function quotient(text = ''): number | undefined {
  const [above = 0, below = 0] = text.split(/[/:]/).map(Number);
  return above > 0 && below > 0 ? above / below : undefined;
}

function codec(name: string | undefined): string | undefined {
  const isPcm = name?.startsWith('pcm_') === true;
  const other = name === undefined ? undefined : 'other';
  return isPcm ? 'pcm' : name !== undefined && NAMED.includes(name) ? name : other;
}

async function byFfprobe(file: string): Promise<Facts | undefined> {
  const { stdout } = await run('ffprobe', [
    ...['-v', 'quiet', '-of', 'json', '-show_format', '-show_streams', file],
  ]).catch(() => ({ stdout: '{}' }));
  const { streams = [], format } = JSON.parse(stdout) as {
    readonly streams?: readonly Stream[];
    readonly format?: { readonly duration?: string };
  };
  const video = streams.find(
    (one) => one.codec_type === 'video' && one.disposition?.attached_pic !== 1,
  );
  if (video === undefined) {
    return undefined;
  }
  const turn = video.side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0;
  const wide = Math.round((video.width ?? 0) * (quotient(video.sample_aspect_ratio) ?? 1));
  const [width, height] = Math.abs(turn) % 180 === 90 ? [video.height, wide] : [wide, video.height];
  const duration = Number(format?.duration);
  return {
    ...{ width, height, frameRate: quotient(video.avg_frame_rate) },
    ...(duration > 0 && { duration }),
    videoCodec: codec(video.codec_name),
    audioCodec: codec(streams.find((one) => one.codec_type === 'audio')?.codec_name),
    isHdr: HDR.includes(video.color_transfer ?? ''),
  };
}

async function bySelf(file: string): Promise<Facts | undefined> {
  const opened = await open(file);
  try {
    const { size } = await opened.stat();
    const read = async (at: number, end: number): Promise<Uint8Array> => {
      const { buffer, bytesRead } = await opened.read(Buffer.alloc(end - at), 0, end - at, at);
      return buffer.subarray(0, bytesRead);
    };
    const limits = { reads: 1000, bytes: 128 * 1024 * 1024, steps: 100_000 };
    const found = await readVideo(ByteReader.over({ size, read }, limits));
    const { kind, ...media } = found?.media ?? { kind: 'document' };
    return kind === 'video'
      ? { width: found?.width, height: found?.height, ...media, isHdr: 'isHdr' in media }
      : undefined;
  } finally {
    await opened.close();
  }
}

const FACTS = [
  'width',
  'height',
  'duration',
  'frameRate',
  'videoCodec',
  'audioCodec',
  'isHdr',
] as const;

function isSame(name: (typeof FACTS)[number], one: Facts, other: Facts): boolean {
  const [ours, theirs] = [one[name], other[name]];
  if (typeof ours !== 'number' || typeof theirs !== 'number') {
    return ours === theirs;
  }
  const rateApart = name === 'frameRate' ? theirs * RATE_PART : 0;
  return Math.abs(ours - theirs) <= (name === 'duration' ? DURATION_SECONDS : rateApart);
}

const [folder = '.'] = process.argv.slice(2);
const agreed = new Map<string, number>();
let films = 0;
let alike = 0;
for (const name of (await readdir(folder)).filter((one) => FILMS.test(one)).sort()) {
  const file = path.join(folder, name);
  const [ours, theirs] = [await bySelf(file), await byFfprobe(file)];
  if (ours === undefined || theirs === undefined) {
    if (ours !== theirs) {
      films += 1;
      console.log(
        name,
        ours === undefined ? 'is a film for ffprobe only' : 'is no film for ffprobe',
      );
    }
    continue;
  }
  films += 1;
  const same = FACTS.filter((fact) => isSame(fact, ours, theirs));
  for (const fact of same) {
    agreed.set(fact, (agreed.get(fact) ?? 0) + 1);
  }
  const differing = FACTS.filter((fact) => !same.includes(fact));
  alike += differing.length === 0 ? 1 : 0;
  if (differing.length > 0) {
    const list = differing.map(
      (fact) => `${fact} ${ours[fact] ?? '-'}, ffprobe ${theirs[fact] ?? '-'}`,
    );
    console.log(name, list.join('; '));
  }
}
console.log(`${alike} of ${films} films agree in all facts`);
for (const fact of FACTS) {
  console.log(`${fact}: ${agreed.get(fact) ?? 0}`);
}
