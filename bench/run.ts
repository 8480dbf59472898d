/** `npm run bench [-- PART… --rounds N --scale small --only TEXT --against COMMIT]`: measures, and writes bench/results/. */
import { parseArgs } from 'node:util';

import { NoSuchRow, type BenchOptions } from './options.js';

const PARTS: Readonly<Record<string, () => Promise<(options: BenchOptions) => Promise<void>>>> = {
  uploads: async () => (await import('./uploads.js')).uploads,
  'start-up': async () => (await import('./start-up.js')).startUp,
  service: async () => (await import('./service.js')).service,
  'service-start': async () => (await import('./service-start.js')).serviceStart,
  photos: async () => (await import('./photos.js')).photos,
  gallery: async () => (await import('./gallery.js')).gallery,
  documents: async () => (await import('./documents.js')).documents,
  previews: async () => (await import('./previews.js')).previews,
  zip: async () => (await import('./zip.js')).zip,
  downloads: async () => (await import('./downloads.js')).downloads,
  placing: async () => (await import('./placing.js')).placing,
  links: async () => (await import('./links.js')).links,
  memory: async () => (await import('./memory.js')).memory,
  attacks: async () => (await import('./attacks.js')).attacks,
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      scale: { type: 'string', default: 'full' },
      only: { type: 'string' },
      against: { type: 'string' },
    },
  });
  const rounds = Number(values.rounds);
  const { scale } = values;
  const unknown = positionals.filter((part) => !Object.hasOwn(PARTS, part));
  if (unknown.length > 0 || !(rounds >= 1) || (scale !== 'full' && scale !== 'small')) {
    console.error(
      `Usage: npm run bench -- [${Object.keys(PARTS).join('|')}]… [--rounds N] [--scale full|small] [--only TEXT] [--against COMMIT]`,
    );
    process.exitCode = 2;
    return;
  }
  const wanted = positionals.length > 0 ? positionals : Object.keys(PARTS);
  for (const part of wanted) {
    const started = performance.now();
    const run = await PARTS[part]?.();
    await run?.({ rounds, scale, only: values.only, against: values.against });
    console.log(`(${part}: ${((performance.now() - started) / 1000).toFixed(0)} s)`);
  }
}

await main().catch((error: unknown) => {
  if (!(error instanceof NoSuchRow)) {
    throw error;
  }
  console.error(error.message);
  process.exitCode = 2;
});
// A library's timer must not keep the process.
process.exit();
