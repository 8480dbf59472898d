import { fork } from 'node:child_process';
import { measuredProcess, type MeasuredProcess } from './measured-process.js';

/**
 * Sends a task to a script in its own process, which answers with one message.
 * @param name  of the process, in the results
 * @throws {Error} when it ends without an answer
 */
export async function forked<Answer extends object>(
  script: string,
  name: string,
  task: object,
  nodeArgs: readonly string[] = [],
): Promise<Answer & { process: MeasuredProcess }> {
  const child = fork(script, { execArgv: [...nodeArgs, '--import', 'tsx'] });
  try {
    return await new Promise((resolve, reject) => {
      child.once('message', (message) => {
        resolve({ ...(message as Answer), process: measuredProcess(name, child.pid ?? 0) });
      });
      child.once('exit', (code) => {
        reject(new Error(`"${name}" ended with ${String(code)}`));
      });
      child.send(task);
    });
  } finally {
    child.kill();
  }
}

/** The other side, for the script: answers the task, or ends with an error. */
export function answersTask(run: (task: never) => Promise<object>): void {
  process.once('message', (message) => {
    run(message as never).then(
      (answer) => process.send?.(answer),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
