import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { seededRandom } from '../../support/seeded-random.js';
import { Disk } from './disk.js';
import { readJournal } from './journal.js';
import { Ledger } from './ledger.js';
import { start } from './started.js';

/**
 * Records the first start of a service, with TLS, in an empty folder, and takes the power from it. It must start again by
 * itself, and the certificate that users have trusted must be the same.
 * @returns how often the power was lost
 * @throws Error when it does not start, naming seed and instant
 */
export async function firstStarts({
  seed,
  losses,
}: {
  seed: number;
  losses: number;
}): Promise<number> {
  const random = seededRandom(seed);
  const folder = await mkdtemp(path.join(tmpdir(), 'first-start-'));
  try {
    const [base, data] = [path.join(folder, 'base'), path.join(folder, 'data')];
    await Promise.all([mkdir(base), mkdir(data)]);
    const journal = path.join(folder, 'journal');
    const args = ['--tls'];
    const first = await start({ folder: data, journal, args });
    const ready = new Ledger(journal).now();
    const trusted = await readFile(authorityFile(first.said), 'utf8');
    await first.kill();
    const entries = readJournal(journal);
    for (let count = 0; count < losses; count += 1) {
      // Some of them just after it reported that it is ready.
      const entry = entries[Math.floor(random() * entries.length)];
      const instant = count % 3 === 0 ? ready : (entry?.end ?? 0);
      const image = await mkdtemp(path.join(folder, 'image-'));
      const disk = new Disk(base);
      for (const one of entries) if (one.end <= instant) disk.apply(one);
      disk.layAfterLoss(image, random, 'some');
      try {
        const again = await start({ folder: image, args });
        await again.kill();
        const found = await readFile(authorityFile(again.said), 'utf8');
        if (instant >= ready && found !== trusted)
          throw new Error('the trusted certificate has changed');
      } catch (error) {
        const where = `after ${instant} of ${entries.at(-1)?.end ?? 0} bytes`;
        throw new Error(`first start with seed ${seed} failed ${where}`, { cause: error });
      }
      await rm(image, { recursive: true, force: true });
    }
    return losses;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function authorityFile(said: string): string {
  return /Certificate to trust +(.+)\n/.exec(said)?.[1] ?? '';
}
