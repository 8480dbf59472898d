import { readdirSync, readFileSync } from 'node:fs';

/** A process whose work is in a result, as the operating system lists it. */
export interface MeasuredProcess {
  readonly name: string;
  /** The program and its arguments. */
  readonly commandLine: readonly string[];
  /** Of its environment; empty when it is not set. */
  readonly nodeOptions: string;
}

/** Options of Node that load code, allow forced collections or limit the heap. Any other one may change how fast it runs. */
const HARMLESS = new Set(['--import', '--require', '--expose-gc', '--max-old-space-size']);
/** Those of them that take the next argument as their value. */
const WITH_VALUE = new Set(['--import', '--require']);

/** Reads a running process from /proc, so on Linux only. */
export function measuredProcess(name: string, processId: number): MeasuredProcess {
  const read = (file: string): string[] =>
    readFileSync(`/proc/${processId}/${file}`, 'utf8').split('\0').slice(0, -1);
  const variable = 'NODE_OPTIONS=';
  const found = read('environ').find((one) => one.startsWith(variable));
  return {
    name,
    commandLine: read('cmdline'),
    nodeOptions: found?.slice(variable.length) ?? '',
  };
}

/** The Node processes that a process has started and that still run. */
export function measuredChildren(name: string, processId: number): MeasuredProcess[] {
  const tasks = readdirSync(`/proc/${processId}/task`);
  return tasks
    .flatMap((task) => {
      const found = readFileSync(`/proc/${processId}/task/${task}/children`, 'utf8');
      return found.split(' ').filter((id) => id !== '');
    })
    .map((id) => measuredProcess(name, Number(id)))
    .filter(({ commandLine: [program = ''] }) => program === process.execPath);
}

/** The options of Node itself, which are `process.execArgv` in a Node process. */
export function execArgvOf({ commandLine }: Pick<MeasuredProcess, 'commandLine'>): string[] {
  const options: string[] = [];
  const left = commandLine.slice(1);
  for (let next = left.shift(); next?.startsWith('-') === true; next = left.shift()) {
    options.push(next);
    if (WITH_VALUE.has(next)) {
      options.push(left.shift() ?? '');
    }
  }
  return options;
}

/**
 * Refuses processes that run otherwise than in a deployment.
 * @throws {Error} when an option of Node, of its command line or environment, may switch the compiler off
 */
export function requireCompiler(processes: readonly MeasuredProcess[]): void {
  if (processes.length === 0) {
    throw new Error('the result names no measured process');
  }
  for (const one of processes) {
    const options = [...execArgvOf(one), ...one.nodeOptions.split(/\s+/)];
    const refused = options.filter(
      (option, index) =>
        option !== '' &&
        !HARMLESS.has(option.replace(/=.*$/s, '')) &&
        !WITH_VALUE.has(options[index - 1] ?? ''),
    );
    if (refused.length > 0) {
      throw new Error(`no result: ${one.name} was started with ${refused.join(' ')}`);
    }
  }
}
