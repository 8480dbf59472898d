import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CwError } from '../../../src/util/errors.js';
import { passUntil } from '../../host-ports/implementations.js';
import { FakeClock } from '../../support/fake-clock.js';
import { digestOf, PlacingFixture } from './placing-fixture.js';

let fixture: PlacingFixture;
beforeEach(() => {
  fixture = new PlacingFixture();
});
afterEach(() => fixture.end());

describe('a download from an app that answers late', () => {
  it.each([
    ['late', false],
    ['late, and not answered,', false],
    ['never made', false],
    ['late', true],
    ['late, and not answered,', true],
    ['never made', true],
  ] as const)(
    'has no file that is not complete when an operation is %s (other drive: %p)',
    async (kind, isOtherDrive) => {
      const bytes = new Uint8Array(randomBytes(65_000));
      const others = new Uint8Array(randomBytes(65_000));
      const outcomes = new Set<string>();
      let isReached = true;
      for (let step = 0; isReached; step += 1) {
        fixture.end();
        const clock = new FakeClock();
        fixture = new PlacingFixture(clock);
        const { modules } = fixture;
        const file = fixture.deliver(bytes);
        writeFileSync(join(fixture.folderPath, 'Coast.jpg'), others);
        const saved = { 'Coast.jpg': digestOf(others), 'Coast (2).jpg': digestOf(bytes) };
        const folder = await fixture.folder();
        let release: () => void = () => undefined;
        const released = new Promise<void>((resolve) => (release = resolve));
        let left = step;
        modules.lifetime.fileFault = ({ name, on }) => {
          if ((left -= 1) === -1)
            return kind === 'late'
              ? released
              : kind === 'never made'
                ? 'hang'
                : released.then(() => 'hang' as const);
          return isOtherDrive && name === 'moveTo' && on.includes('/data/placing/')
            ? Object.assign(new Error('EXDEV'), { code: 'EXDEV' })
            : 'run';
        };
        const attempt = (): Promise<string> =>
          passUntil(
            clock,
            modules,
            fixture
              .download()
              .download(file, 'original', folder)
              .then(
                ({ file: { name } }) => name,
                (error: unknown) => (error as CwError).code,
              ),
          );
        const outcome = await attempt();
        isReached = left < 0;
        outcomes.add(outcome);
        const whole = (): void => {
          const { 'Coast.jpg': other, ...rest } = fixture.content();
          expect([step, other]).toEqual([step, digestOf(others)]);
          for (const digest of Object.values(rest))
            expect([step, digest]).toEqual([step, digestOf(bytes)]);
        };
        whole();
        // What comes late meets the next try at each of its operations, or comes before it.
        let after = step % 12;
        const { fileFault } = modules.lifetime;
        modules.lifetime.fileFault = (operation) => {
          if ((after -= 1) === -1) release();
          return fileFault(operation);
        };
        expect(await attempt()).toMatch(/^Coast \(\d\)\.jpg$/);
        release();
        for (let turn = 0; turn < 20; turn += 1) await clock.settle();
        whole();
        expect([step, fixture.content()]).toEqual([step, expect.objectContaining(saved)]);
        if (kind === 'late') {
          expect([
            step,
            readdirSync(fixture.folderPath).filter((name) => name.startsWith('~')),
          ]).toEqual([step, []]);
          expect([step, modules.control.openDescriptors()]).toEqual([step, 0]);
        }
        expect(step).toBeLessThan(100);
      }
      expect([...outcomes].toSorted()).toEqual(['CW-706', 'Coast (2).jpg']);
    },
    60_000,
  );
});
