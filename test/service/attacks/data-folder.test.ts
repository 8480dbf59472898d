import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startService } from '../../../service/start.js';
import { compiled } from '../../support/compiled.js';
import { layMigratedDatabase } from '../support/database-templates.js';

const ROUNDS = 150;

/** A separate process that takes and gives back locks; see lock-taker.ts. */
class Taker {
  readonly child: ChildProcess = fork(compiled('test/service/attacks/lock-taker.ts'), {
    execArgv: [],
  });
  private readonly ready = once(this.child, 'message');

  /** True when it has the lock now, else the code of the refusal. */
  take(file: string): Promise<unknown> {
    return this.ask({ take: file });
  }

  async give(): Promise<void> {
    await this.ask('give');
  }

  /** Ends it as `kill -9` does. */
  async kill(): Promise<void> {
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  private async ask(message: { take: string } | 'give'): Promise<unknown> {
    await this.ready;
    const answer = once(this.child, 'message');
    this.child.send(message);
    return ((await answer) as unknown[])[0];
  }
}

describe('the lock of a data folder', () => {
  let folder: string;
  let file: string;
  let first: Taker;
  let second: Taker;

  beforeAll(() => {
    first = new Taker();
    second = new Taker();
  });
  afterAll(async () => {
    await Promise.all([first, second].map((taker) => taker.kill()));
  });
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'creative-workspace-lock-'));
    file = path.join(folder, 'service.lock');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is refused to a process with the holder’s id, as in another container', async () => {
    expect(await first.take(file)).toBe(true);
    // Two containers on one volume: in each of them it is process 1.
    await writeFile(file, `${String(second.child.pid)}\n`);

    expect(await second.take(file)).toBe('data_dir_in_use');

    await first.give();
    expect(await second.take(file)).toBe(true);
    await second.give();
  });

  // @threat S7
  it(`goes to exactly one of two processes that take a stale lock, ${ROUNDS} times`, async () => {
    const outcomes: unknown[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const stale = path.join(folder, `stale-${round}.lock`);
      // No process has this id: the kernel's are smaller.
      await writeFile(stale, '2147483646\n');
      const took = await Promise.all([first.take(stale), second.take(stale)]);
      outcomes.push(took.filter((one) => one === true).length);
      if (took[0] === true) await first.give();
      if (took[1] === true) await second.give();
    }

    expect(outcomes).toEqual(Array(ROUNDS).fill(1));
  });

  it('releases the lock when its holder is killed', async () => {
    const holder = new Taker();
    expect(await holder.take(file)).toBe(true);
    expect(await first.take(file)).toBe('data_dir_in_use');

    await holder.kill();

    expect(await first.take(file)).toBe(true);
    await first.give();
  });

  it('ignores the lock of an ended process whose id was reused', async () => {
    await layMigratedDatabase(path.join(folder, 'database'));
    // Another process of this machine got the number in between.
    await writeFile(file, `${process.ppid}\n`);

    const service = await startService({ port: 0, dataDir: folder });
    const answer = await fetch(`${service.baseUrl}/healthz`);
    const again = startService({ port: 0, dataDir: folder });

    await expect(again).rejects.toMatchObject({ code: 'data_dir_in_use' });
    await service.close();
    expect(answer.status).toBe(200);
  });
});
