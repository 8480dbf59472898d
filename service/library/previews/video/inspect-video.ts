import {
  ByteReader,
  metadataIn,
  type ByteSource,
} from '../../../../packages/image-metadata/index.js';
import { capturedAt } from '../captured-at.js';
import type { ImageJob, SentPictures } from '../image-info.js';
import type { InspectionAids, Sharp } from '../inspect-image.js';
import { readPictureInfo } from '../read-picture-info.js';
import { Ffmpeg } from './ffmpeg.js';
import { framesOf } from './frames.js';
import { posterFrom, posterOf } from './poster.js';
import { readVideo } from './read-video.js';

/** Found once, when the process starts. */
const ffmpeg = Ffmpeg.find();

/** A film whose poster takes longer has no picture with frames: it would not be done in the time of the job. In milliseconds. */
const POSTER_MS = 10_000;

/** How much of a film is read for its facts. The heads of many fragments are read one by one. */
const READ_LIMITS = { reads: 1000, bytes: 128 * 1024 * 1024, steps: 100_000 } as const;

/**
 * Reads the facts of a film, and makes its poster and a picture of some frames with ffmpeg, where there is one. A hostile file may take long or much memory: call this only in a process that can be killed.
 * @param source the bytes of the file
 * @returns undefined when no picture can be made
 */
export async function inspectVideo(
  library: Sharp,
  job: ImageJob,
  source: ByteSource,
  { hasLocation, saveFacts }: InspectionAids,
): Promise<SentPictures | undefined> {
  const video = await readVideo(ByteReader.over(source, READ_LIMITS));
  const blocks = await metadataIn(ByteReader.over(source, READ_LIMITS));
  const taken = video?.capturedAt ?? (await capturedAt(blocks));
  const info = await readPictureInfo(blocks, hasLocation);
  await saveFacts({
    ...video,
    ...(taken !== undefined && { capturedAt: taken }),
    ...(info !== undefined && { info }),
  });
  const sent = job.poster === undefined ? undefined : await posterFrom(library, job.poster);
  if (ffmpeg === undefined || video === undefined) {
    return sent;
  }
  const begin = performance.now();
  const poster = sent ?? (await posterOf(library, ffmpeg, job, video));
  const isSlow = performance.now() - begin > POSTER_MS;
  const frames =
    poster === undefined || isSlow
      ? undefined
      : await framesOf(library, ffmpeg, job, video).catch(() => undefined);
  return poster && { ...poster, ...(frames !== undefined && { frames }) };
}
