import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { nodeVersionProblem } from '../../../scripts/node-version.js';

const ROOT = path.join(import.meta.dirname, '../../..');

describe('the version of Node.js', () => {
  it.each([
    ['20.19.0', undefined],
    ['20.20.2', undefined],
    ['22.0.0', undefined],
    ['20.18.3', 'Node.js 20.19 or later is needed; this is 20.18.3.'],
    ['18.20.4', 'Node.js 20.19 or later is needed; this is 18.20.4.'],
    ['4.9.1', 'Node.js 20.19 or later is needed; this is 4.9.1.'],
  ])('%s gives %j', (version, problem) => {
    expect(nodeVersionProblem(version)).toBe(problem);
  });

  it('requires the Node.js version of package.json', () => {
    const { engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    const least = engines.node.replace('>=', '');
    expect(nodeVersionProblem(`${least}.0`)).toBeUndefined();
    const [major = 0, minor = 0] = least.split('.').map(Number);
    expect(nodeVersionProblem(`${major}.${minor - 1}.99`)).toContain(` ${least} or later`);
  });

  it.each(['service/cli.ts', 'service/admin.ts', 'scripts/start.ts', 'webpack.config.js'])(
    'is checked by %s before anything else is loaded',
    (program) => {
      const [first] = /^import .*$/m.exec(readFileSync(path.join(ROOT, program), 'utf8')) ?? [];
      expect(first).toMatch(/^import '\.{1,2}\/(scripts\/)?node-version\.js';$/);
    },
  );
});
