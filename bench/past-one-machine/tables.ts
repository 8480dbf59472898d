import type { Assumptions, Machines } from './assumptions.js';
import { GROWN, PHOTO_SECONDS, ROW_BYTES, ROWS_OF_CONNECTION, THUMBNAIL_SECONDS } from './costs.js';
import { limitsReached } from './limits.js';
import { loadOf, type Load } from './model.js';

const SIZES = [10_000, 1_000_000, 100_000_000];

/** A line of the table of loads: a figure, and what it was worked out from. */
interface Line {
  readonly name: string;
  readonly value: (load: Load) => string;
  readonly from: string;
}

/** The tables of docs/growth.md, as Markdown. */
export function tablesOf(assumed: Assumptions, machines: Machines): string {
  return [
    'In the busiest hour, if not said otherwise:',
    loadTable(assumed, machines),
    'What is used up, the first one first:',
    limitTable(assumed, machines),
    '',
  ].join('\n\n');
}

function loadTable(assumed: Assumptions, machines: Machines): string {
  const loads = SIZES.map((plugins) => loadOf(plugins, assumed, machines));
  const lines = [
    ...linesOfRequests(assumed),
    ...linesOfDatabase(machines),
    ...linesOfStorage(assumed),
  ];
  return markdown(
    ['Connected plugins', ...SIZES.map((plugins) => number(plugins)), 'Assumed'],
    lines.map(({ name, value, from }) => [name, ...loads.map(value), from]),
  );
}

function linesOfRequests(assumed: Assumptions): readonly Line[] {
  const used = `${percent(assumed.usedOnDay)} of the plugins are used on a day`;
  const minutes = assumed.deviceCodeSeconds / 60;
  return [
    {
      name: 'Plugins at work at a time',
      value: ({ atWork }) => number(atWork),
      from: `${used}, ${String(assumed.hoursInUse)} hours each; the busiest hour has ${String(assumed.busiestHour)} times the average`,
    },
    {
      name: 'Refreshes per second',
      value: ({ perSecond }) => number(perSecond.refresh),
      from: `an access token lives ${String(assumed.accessTokenSeconds)} s (default) and is renewed at ${percent(assumed.renewedAt)} of it; one more at the beginning of a day`,
    },
    {
      name: 'Refreshes per second after an outage',
      value: ({ refreshesAfterOutage }) => number(refreshesAfterOutage),
      from: `it lasted ${String(assumed.outageSeconds / 60)} minutes, and all who are at work are back within ${String(assumed.backSeconds)} s`,
    },
    {
      name: 'Sign-ins per second',
      value: ({ perSecond }) => number(perSecond.connect),
      from: `${percent(assumed.connectingOnDay)} of the plugins connect on a day`,
    },
    {
      name: 'Polls per second',
      value: ({ perSecond }) => number(perSecond.poll),
      from: `every ${String(assumed.pollIntervalSeconds)} s (default) for ${String(assumed.approvalSeconds)} s; ${percent(assumed.abandoned)} give up, their plugins poll for ${String(minutes)} minutes (default)`,
    },
    {
      name: 'Photos per second',
      value: ({ perSecond }) => number(perSecond.photo),
      from: `${String(assumed.photosOnDay)} on a day of use`,
    },
    {
      name: 'Bytes of photos per second',
      value: ({ photoBytesPerSecond }) => bytes(photoBytesPerSecond),
      from: `${bytes(assumed.photoBytes)} each, one request`,
    },
    {
      name: 'Processors for the service',
      value: ({ serviceCores }) => number(serviceCores),
      from: `most of it photos: ${String(PHOTO_SECONDS * 1000)} ms each, and ${String(THUMBNAIL_SECONDS * 1000)} ms for the thumbnail`,
    },
  ];
}

function linesOfDatabase(machines: Machines): readonly Line[] {
  const { refreshTokens, accessTokens } = ROWS_OF_CONNECTION;
  return [
    {
      name: 'Processors for the database',
      value: ({ databaseCores }) => number(databaseCores),
      from: 'milliseconds of each request in `costs.ts`',
    },
    {
      name: 'Trips to the database per second',
      value: ({ tripsPerSecond }) => number(tripsPerSecond),
      from: 'refresh 2, poll 1, photo 3 and 2 for its thumbnail',
    },
    {
      name: 'Commits that wait for the disk, per second',
      value: ({ flushesPerSecond }) => number(flushesPerSecond),
      from: 'refresh 1, poll 0, photo 2',
    },
    {
      name: 'Journal per second',
      value: ({ journalBytesPerSecond }) => bytes(journalBytesPerSecond),
      from: `measured: a refresh 3 KB, 74 KB when it is the first on its pages since a checkpoint; one every ${String(machines.checkpointSeconds / 60)} minutes`,
    },
    {
      name: 'Processes of the service',
      value: ({ processes }) => number(processes),
      from: `each has one processor, ${percent(machines.share)} busy`,
    },
    {
      name: 'Rows of tokens and grants',
      value: ({ records }) => number(records),
      from: `a grant, ${String(refreshTokens)} refresh tokens, ${String(accessTokens)} access tokens`,
    },
    {
      name: 'Bytes of connections and accounts',
      value: ({ connectionBytes }) => bytes(connectionBytes),
      from: `measured by row, times ${String(GROWN)} for pages that are not full`,
    },
    {
      name: 'Rows for the purge per second',
      value: ({ purgedPerSecond }) => number(purgedPerSecond),
      from: 'five for each sign-in; a refresh removes its own',
    },
  ];
}

function linesOfStorage({ yearsKept }: Assumptions): readonly Line[] {
  const row = ROW_BYTES.upload + ROW_BYTES.thumbnail;
  return [
    {
      name: 'Photos that are kept',
      value: ({ photos }) => number(photos),
      from: `for ${String(yearsKept)} year`,
    },
    {
      name: 'Bytes of photos',
      value: ({ photoBytes }) => bytes(photoBytes),
      from: 'no second copy',
    },
    {
      name: 'Bytes of their rows and thumbnails',
      value: ({ photoRowBytes }) => bytes(photoRowBytes),
      from: `measured: ${bytes(row)} each, three quarters of it the thumbnail`,
    },
  ];
}

function limitTable(assumed: Assumptions, machines: Machines): string {
  return markdown(
    ['What', 'From so many plugins on', 'What is done then'],
    limitsReached(assumed, machines).map(({ name, plugins, then }) => [
      name,
      Number.isFinite(plugins) ? number(plugins) : 'never',
      then,
    ]),
  );
}

/** Two digits are more than the assumptions are worth. */
function number(value: number): string {
  const rounded = Number(value.toPrecision(2));
  for (const [size, word] of [
    [1e9, ' billion'],
    [1e6, ' million'],
  ] as const) {
    if (rounded >= size) {
      return `${String(Number((rounded / size).toPrecision(2)))}${word}`;
    }
  }
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 20 });
}

function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB'];
  let scaled = value;
  let unit = 0;
  while (scaled >= 999.5 && unit < units.length - 1) {
    scaled /= 1000;
    unit += 1;
  }
  return `${String(Number(scaled.toPrecision(2)))} ${units[unit] ?? ''}`;
}

function percent(share: number): string {
  return `${String(Number((share * 100).toPrecision(3)))} %`;
}

function markdown(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}
