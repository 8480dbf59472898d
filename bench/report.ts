import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

import { execArgvOf, requireCompiler, type MeasuredProcess } from './measured-process.js';

const ROOT = join(import.meta.dirname, '..');
const RESULTS = join(import.meta.dirname, 'results');

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  /** Texts as shown; the first column names the row. */
  readonly rows: readonly (readonly string[])[];
}

/** The result of one part of the benchmark. */
export interface Findings {
  /** Name of the part, and of its files. */
  readonly part: string;
  readonly tables: readonly Table[];
  /** Everything that ran: the service, and the plugin where it has its own process. */
  readonly processes: readonly MeasuredProcess[];
  /** Every single measurement. */
  readonly measurements: unknown;
  /** Notes for the reader: sizes, rounds, omissions. */
  readonly notes: readonly string[];
  /** Versions of the measured software, besides Node's. */
  readonly versions?: Readonly<Record<string, string>>;
}

/**
 * Prints the tables, and writes `<part>.json` and `.md` to `bench/results/`, which git ignores.
 * @throws {Error} when a process was not run as in a deployment
 */
export function report(findings: Findings, startedAt: Date, folder = RESULTS): void {
  const { part, tables, notes, processes } = findings;
  requireCompiler(processes);
  const circumstances = describeCircumstances(findings.versions ?? {}, startedAt);
  const markdown = [
    ...tables.flatMap((table) => [`**${table.title}**`, '', asMarkdown(table), '']),
    ...notes.map((note) => `- ${note}`),
    ...new Set(processes.map(described)),
    '',
    `Measured ${circumstances.date.slice(0, 10)} at commit ${circumstances.commit} on ${circumstances.machine}; ${Object.entries(
      circumstances.versions,
    )
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}; load ${circumstances.loadBefore} before, ${circumstances.loadAfter} after.`,
    '',
  ].join('\n');
  mkdirSync(folder, { recursive: true });
  const { measurements } = findings;
  const json = { ...circumstances, part, tables, notes, processes, measurements };
  writeFileSync(join(folder, `${part}.json`), `${JSON.stringify(json, undefined, 2)}\n`);
  writeFileSync(join(folder, `${part}.md`), markdown);
  console.log(`\n## ${part}\n\n${markdown}`);
}

function described(one: MeasuredProcess): string {
  const options = JSON.stringify(execArgvOf(one));
  return `- ${one.name}: \`${one.commandLine.join(' ')}\`, execArgv ${options}, NODE_OPTIONS "${one.nodeOptions}"`;
}

/** The version of an installed package. */
export function versionOf(name: string): string {
  const text = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The state at the start of the run, when all measured code has been loaded. */
const loadAtStart = loadavg()[0] ?? 0;
const commitAtStart = commit();

function describeCircumstances(
  versions: Readonly<Record<string, string>>,
  startedAt: Date,
): {
  date: string;
  seconds: number;
  commit: string;
  machine: string;
  loadBefore: string;
  loadAfter: string;
  versions: Record<string, string>;
} {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  return {
    date: startedAt.toISOString(),
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
    commit: commitAtStart,
    machine: `${processors.length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()} ${release()}`,
    loadBefore: loadAtStart.toFixed(2),
    loadAfter: (loadavg()[0] ?? 0).toFixed(2),
    versions: { Node: process.versions.node, ...versions },
  };
}

function commit(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
    const changed = git('status', '--porcelain', '--', 'src', 'service', 'bench');
    return git('rev-parse', '--short', 'HEAD') + (changed === '' ? '' : ' with changes');
  } catch {
    return 'unknown';
  }
}

function asMarkdown({ columns, rows }: Table): string {
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths
      .map((width, index) => {
        const cell = cells[index] ?? '';
        return index === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join(' | ')} |`;
  const rule = widths.map((width, index) =>
    index === 0 ? '-'.repeat(width) : `${'-'.repeat(Math.max(width - 1, 1))}:`,
  );
  return [line(columns), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}
