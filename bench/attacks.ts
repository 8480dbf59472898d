import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAccountWithWorkspace } from '../service/identity/accounts/accounts.js';
import { openEmbeddedDatabase } from '../service/kernel/database/pglite.js';
import { authorization, create, offsetOf, photo } from '../test/service/support/tus-client.js';
import { ATTACKS } from './attacks/all-attacks.js';
import type { AttackTarget } from './attacks/attack.js';
import type { AttackOrder } from './attacks/attacker-process.js';
import { measureControlUser, signInControlUser } from './attacks/control-user.js';
import type { ControlTimes } from './attacks/control-user.js';
import { wantedRows, type BenchOptions } from './options.js';
import type { MeasuredProcess } from './measured-process.js';
import { buildRelease, startRelease, type Release } from './release.js';
import { report } from './report.js';
import { median } from './statistics.js';

const VICTIM = {
  username: 'vera',
  password: 'a password of the control user',
  displayName: 'Vera',
  workspace: 'Vera Studio',
};
const ATTACKER = {
  username: 'mallory',
  password: 'a password of the attacker',
  displayName: 'Mallory',
  workspace: 'Mallory Studio',
};
/** Finished uploads of the attacker's account. */
const UPLOADS = 50_000;
/** The part of an upload of the victim's that is there before the attack. */
const RECEIVED = 1000;

/** The duration of an attack. */
const ATTACK_MS = 10_000;
/** The lead of the attack over the control user; half of the attack for limits on guessing. */
const LEAD_MS = 1000;
const LONG_LEAD_MS = 5000;

interface Measured {
  readonly attack: string;
  readonly without: readonly ControlTimes[];
  readonly with: readonly ControlTimes[];
  readonly process: MeasuredProcess;
  /** The errors of the control user. */
  readonly failures: readonly string[];
}

/**
 * Measures how long a control user takes to sign in and upload a photo of 2 MB during attacks by an anonymous client or
 * another user. Each attack has a separate service process, on the loopback interface.
 */
export async function attacks(options: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const names = [...wantedRows(Object.keys(ATTACKS), options.only)];
  const chosen = options.scale === 'small' ? names.slice(0, 2) : names;
  const template = await mkdtemp(join(tmpdir(), 'bench-attacks-'));
  const release = buildRelease();
  const measured: Measured[] = [];
  try {
    await prepareData(release, template);
    for (const name of chosen) {
      const one = await underAttack(name, template, release);
      measured.push(one);
      console.log(rowOf(one).join(' | '));
    }
  } finally {
    await rm(template, { recursive: true, force: true });
  }
  report(
    {
      part: options.only === undefined ? 'attacks' : `attacks-${options.only.replace(/\W+/g, '-')}`,
      tables: [
        {
          title: 'A control user signs in and uploads a photo of 2 MB during an attack',
          columns: ['Attack', 'Without, s', 'With, s', 'Slowest, s', 'Result'],
          rows: measured.map(rowOf),
        },
      ],
      processes: measured.map((one) => one.process),
      measurements: measured,
      notes: [
        `Each attack lasts ${ATTACK_MS / 1000} s, against a separate service process with the embedded database. The control user starts ${LEAD_MS / 1000} s after it (${LONG_LEAD_MS / 1000} s where guesses are counted) and repeats until its end. Attackers, service and control user share the machine.`,
        '"hangs" is a sign-in and upload that was not done when the attack ended.',
      ],
    },
    startedAt,
  );
}

/** Creates a data folder with both users and very many uploads of the attacker. */
async function prepareData(release: Release, folder: string): Promise<void> {
  const service = await startRelease(release, { dataDir: folder });
  await service.stop();
  const database = await openEmbeddedDatabase(join(folder, 'database'));
  await database.transaction(async (transaction) => {
    await createAccountWithWorkspace(transaction, VICTIM);
    await createAccountWithWorkspace(transaction, ATTACKER);
    await transaction.query(
      `INSERT INTO uploads (id, account_id, workspace_id, size, name, type, metadata, created_at,
                            finished_at, sha256)
       SELECT gen_random_uuid()::text, account_id, workspace_id, 1, 'photo-' || number || '.jpg',
              'image/jpeg', '{}', now() - number * interval '1 second', now(),
              repeat('0', 64)
         FROM generate_series(1, $1::int) AS number, workspace_members
         JOIN accounts ON accounts.id = account_id WHERE username = $2`,
      [UPLOADS, ATTACKER.username],
    );
  });
  await database.close();
}

async function underAttack(name: string, template: string, release: Release): Promise<Measured> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-attacks-'));
  await cp(template, dataDir, { recursive: true });
  const service = await startRelease(release, {
    dataDir,
    args: ['--poll-interval-seconds', '1', '--hide-demo-account'],
  });
  const { ownUrl: baseUrl, port } = service;
  try {
    const without: ControlTimes[] = [];
    for (let round = 0; round < 3; round += 1) {
      without.push(await measureControlUser(baseUrl, VICTIM));
    }
    const victim = await signInControlUser(baseUrl, VICTIM);
    const upload = await create(baseUrl, victim.accessToken, {
      length: 50_000,
      body: photo(RECEIVED),
    });
    const uploadUrl = new URL(upload.headers.get('location') ?? '', baseUrl).href;
    const target: AttackTarget = {
      port,
      baseUrl,
      username: ATTACKER.username,
      token: (await signInControlUser(baseUrl, ATTACKER)).accessToken,
      victim: VICTIM.username,
      victimUpload: uploadUrl.split('/').at(-1) ?? '',
    };
    const during = await whileAttacked(
      { name, target, ms: ATTACK_MS },
      () => measureControlUser(baseUrl, VICTIM),
      /guess|passwords/.test(name) ? LONG_LEAD_MS : LEAD_MS,
    );
    const failures = [...during.failures];
    const offset = await offsetOf(uploadUrl, victim.accessToken).catch(messageOf);
    if (offset !== RECEIVED) {
      failures.push(`the victim's upload was changed (${offset})`);
    }
    const alive = await fetch(`${baseUrl}/healthz`, {
      headers: authorization(victim.accessToken),
      signal: AbortSignal.timeout(5000),
    }).then(({ status }) => String(status), messageOf);
    if (alive !== '200') {
      failures.push(`afterwards the service answers ${alive}`);
    }
    return {
      attack: name,
      without,
      with: during.times,
      process: service.measured,
      failures,
    };
  } finally {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Measures the control user from the lead until the end of the attack. */
async function whileAttacked(
  order: AttackOrder,
  control: () => Promise<ControlTimes>,
  leadMs: number,
): Promise<{ times: ControlTimes[]; failures: string[] }> {
  const times: ControlTimes[] = [];
  const failures = new Set<string>();
  const attacker = fork(join(import.meta.dirname, 'attacks', 'attacker-process.ts'), {
    execArgv: ['--import', 'tsx'],
  });
  const gone = once(attacker, 'exit');
  attacker.send(order);
  await once(attacker, 'message');
  const ended = gone.then(() => 'ended' as const);
  await new Promise((resolve) => setTimeout(resolve, leadMs));
  let isOver = false;
  while (!isOver) {
    const result = await Promise.race([control().catch(messageOf), ended]);
    if (result === 'ended') {
      isOver = true;
      // The last one may just have begun; that none was done is what "hangs" means.
      if (times.length === 0 && failures.size === 0) {
        failures.add('hangs');
      }
    } else if (typeof result === 'string') {
      failures.add(result);
      await new Promise((resolve) => setTimeout(resolve, 200));
    } else {
      times.push(result);
    }
  }
  return { times, failures: [...failures] };
}

function rowOf(one: Measured): string[] {
  const seconds = (times: readonly ControlTimes[], of: (all: readonly number[]) => number) =>
    times.length === 0 ? '–' : of(times.map(total)).toFixed(2);
  return [
    one.attack,
    seconds(one.without, median),
    seconds(one.with, median),
    seconds(one.with, (all) => Math.max(...all)),
    one.failures.length === 0
      ? `${one.with.length} of ${one.with.length}`
      : one.failures.join('; '),
  ];
}

function total({ signIn, upload }: ControlTimes): number {
  return signIn + upload;
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : 'unknown error';
  // A page with a refusal has a sentence about it. The other words do not matter here.
  const refusal = /Too many[^.]*\./.exec(text)?.[0];
  return refusal === undefined ? text.slice(0, 120) : `refused: ${refusal}`;
}
