/**
 * A bare pipeline for comparison: makes the two pictures of each file that it receives, and answers with their bytes. It has the sizes, the
 * quality, the effort and the settings of `service/library/previews/inspect-image.ts`, and nothing else: no limits, no checks, no metadata.
 */
import { setPriority } from 'node:os';
import sharp from 'sharp';

const PREVIEW = { side: 2048, quality: 80 };
const THUMBNAIL = { side: 512, quality: 75 };
const EFFORT = 2;

setPriority(10);
sharp.concurrency(1);
sharp.cache(false);

async function makePictures(file) {
  const { data, info } = await sharp(file)
    .autoOrient()
    .resize(PREVIEW.side, PREVIEW.side, { fit: 'inside', withoutEnlargement: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  const encode = ({ side, quality }) =>
    sharp(data, { raw })
      .resize(side, side, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality, effort: EFFORT })
      .toBuffer();
  const pictures = [await encode(PREVIEW), await encode(THUMBNAIL)];
  process.send(pictures.map((picture) => picture.toString('base64')));
}

process.on('message', (file) => void makePictures(file));
process.on('disconnect', () => process.exit());
process.send('ready');
