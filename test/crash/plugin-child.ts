import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { compiled } from '../support/compiled.js';
import type { FromPlugin, ToPlugin } from './messages.js';

interface PluginListeners {
  readonly onCode: (userCode: string) => void;
  readonly onReplaced: () => void;
  readonly onError: (text: string) => void;
}

/** One process, from its start to its kill. */
export class PluginProcess {
  isReady = false;
  hasPicked = false;
  /** The photo that was last given another project. */
  moved: { readonly name: string; readonly project: string } | null = null;
  private readonly child: ChildProcess;
  private isKilled = false;

  constructor(listeners: PluginListeners) {
    this.child = fork(compiled('test/crash/plugin-process.ts'), {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let errors = '';
    this.child.stderr?.on('data', (data: Buffer) => (errors += data.toString()));
    this.child.on('exit', () => {
      if (!this.isKilled) listeners.onError(`the process ended by itself:\n${errors}`);
    });
    this.child.on('message', (message: FromPlugin) => {
      if (message.kind === 'ready') this.isReady = true;
      if (message.kind === 'picked') this.hasPicked = true;
      if (message.kind === 'moved') this.moved = message;
      if (message.kind === 'replaced') listeners.onReplaced();
      if (message.kind === 'code' && !this.isKilled) listeners.onCode(message.userCode);
      if (message.kind === 'error' && !this.isKilled) listeners.onError(message.text);
    });
  }

  tell(message: ToPlugin): void {
    this.child.send(message);
  }

  async kill(): Promise<void> {
    this.isKilled = true;
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}
