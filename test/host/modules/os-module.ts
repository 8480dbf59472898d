import * as nodeOs from 'node:os';

export type SimulatedPlatform = 'darwin' | 'win32';

/** `require('os')`: exactly the members of its page. */
export interface OsModule {
  platform(): string;
  release(): string;
  arch(): string;
  cpus(): { model: string; speed: number }[];
  totalmem(): number;
  freemem(): number;
  homedir(): string;
}

export function createOsModule(platform: SimulatedPlatform): OsModule {
  return {
    platform: () => platform,
    release: () => (platform === 'darwin' ? '24.5.0' : '10.0.26100'),
    arch: () => (platform === 'darwin' ? 'x86_64' : 'x64'),
    cpus: () => nodeOs.cpus().map(({ model, speed }) => ({ model, speed })),
    totalmem: () => nodeOs.totalmem(),
    freemem: () => nodeOs.freemem(),
    homedir: () => (platform === 'darwin' ? '/Users/photographer' : 'C:\\Users\\photographer'),
  };
}
