/** `npm run bench [-- PART… --rounds N --scale small --only TEXT --against COMMIT]`: measures, and writes bench/results/. */
import { parseArgs } from 'node:util';

import { NoSuchRow, type BenchOptions } from './options.js';

/** A part of the benchmark. */
interface Part {
  /** As many as its figures need, and few enough that all parts are run together. */
  readonly rounds: number;
  readonly load: () => Promise<(options: BenchOptions) => Promise<void>>;
}

const PARTS: Readonly<Record<string, Part>> = {
  uploads: { rounds: 2, load: async () => (await import('./uploads.js')).uploads },
  'start-up': { rounds: 2, load: async () => (await import('./start-up.js')).startUp },
  service: { rounds: 3, load: async () => (await import('./service.js')).service },
  'service-start': {
    rounds: 2,
    load: async () => (await import('./service-start.js')).serviceStart,
  },
  photos: { rounds: 2, load: async () => (await import('./photos.js')).photos },
  gallery: { rounds: 1, load: async () => (await import('./gallery.js')).gallery },
  documents: { rounds: 2, load: async () => (await import('./documents.js')).documents },
  previews: { rounds: 2, load: async () => (await import('./previews.js')).previews },
  zip: { rounds: 1, load: async () => (await import('./zip.js')).zip },
  downloads: { rounds: 2, load: async () => (await import('./downloads.js')).downloads },
  placing: { rounds: 1, load: async () => (await import('./placing.js')).placing },
  links: { rounds: 3, load: async () => (await import('./links.js')).links },
  memory: { rounds: 1, load: async () => (await import('./memory.js')).memory },
  attacks: { rounds: 1, load: async () => (await import('./attacks.js')).attacks },
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      scale: { type: 'string', default: 'full' },
      only: { type: 'string' },
      against: { type: 'string' },
    },
  });
  const { scale } = values;
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
  const unknown = positionals.filter((part) => !Object.hasOwn(PARTS, part));
  if (unknown.length > 0 || !((rounds ?? 1) >= 1) || (scale !== 'full' && scale !== 'small')) {
    console.error(
      `Usage: npm run bench -- [${Object.keys(PARTS).join('|')}]… [--rounds N] [--scale full|small] [--only TEXT] [--against COMMIT]`,
    );
    process.exitCode = 2;
    return;
  }
  const wanted = positionals.length > 0 ? positionals : Object.keys(PARTS);
  for (const [name, part] of Object.entries(PARTS).filter(([name]) => wanted.includes(name))) {
    const started = performance.now();
    const run = await part.load();
    await run({
      rounds: rounds ?? part.rounds,
      scale,
      only: values.only,
      against: values.against,
    });
    console.log(`(${name}: ${((performance.now() - started) / 1000).toFixed(0)} s)`);
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
