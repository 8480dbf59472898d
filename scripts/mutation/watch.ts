import { appendFileSync } from 'node:fs';
import type { TestEnvironment } from 'jest-environment-node';

/** What a process that runs tests for one-by-one.ts says, a line of JSON each, in the file that MUTATION_TOLD names. */
export type Told =
  | { readonly kind: 'begun'; readonly test: string }
  /** A file of tests is over. `reached` are the mistakes whose code it came to; `seconds` and `tests` what it took. */
  | {
      readonly kind: 'ended';
      readonly test: string;
      readonly seconds: number;
      readonly tests: number;
      readonly reached: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly test: string;
      readonly name: string;
      /** What the errors say. */
      readonly why: string;
    };

/** The variable of the environment with which tests go on after a failure. */
export const GO_ON = 'MUTATION_GO_ON';

/** What is read of the events of jest-circus. */
export interface TestEvent {
  readonly name: string;
  readonly test?: { readonly name: string; readonly errors: readonly unknown[] };
  readonly error?: unknown;
}

/** What the code with sleeping mistakes leaves behind: the mistakes it came to. */
interface Reached {
  readonly __stryker__?: { readonly mutantCoverage?: { readonly static: object } };
}

/** Follows one file of tests. At its first failure the process ends, since one is enough, unless it is to go on. */
class Watch {
  private readonly begunAt = performance.now();
  private tests = 0;

  /** @param test  the path of the file */
  constructor(private readonly test: string) {
    tell({ kind: 'begun', test });
  }

  see({ name, test, error }: TestEvent): void {
    if (name === 'test_done') {
      this.tests += 1;
    }
    const isFailure =
      name === 'test_done' ? (test?.errors.length ?? 0) > 0 : name === 'hook_failure';
    if (isFailure) {
      const why = [error, ...(test?.errors ?? [])].flat().map(String).join('\n');
      tell({ kind: 'failed', test: this.test, name: test?.name ?? String(error), why });
      if (process.env[GO_ON] === undefined) {
        process.exit(1);
      }
    }
  }

  /** @param global  of the tests */
  end(global: object): void {
    const { __stryker__ } = global as Reached;
    const reached = Object.keys(__stryker__?.mutantCoverage?.static ?? {});
    const seconds = (performance.now() - this.begunAt) / 1000;
    tell({ kind: 'ended', test: this.test, seconds, tests: this.tests, reached });
  }
}

/** What is needed of an environment that Jest runs a file of tests in. */
interface Environment {
  readonly global: object;
  teardown(): Promise<void>;
}

type EnvironmentClass = new (
  ...given: ConstructorParameters<typeof TestEnvironment>
) => Environment;

/** An environment in which the tests are followed. */
export function watched(
  Base: EnvironmentClass,
): new (...given: ConstructorParameters<EnvironmentClass>) => Environment {
  return class extends Base {
    private readonly watch: Watch;

    constructor(...given: ConstructorParameters<EnvironmentClass>) {
      super(...given);
      this.watch = new Watch(given[1].testPath);
    }

    handleTestEvent(event: TestEvent): void {
      this.watch.see(event);
    }

    override async teardown(): Promise<void> {
      this.watch.end(this.global);
      await super.teardown();
    }
  };
}

function tell(told: Told): void {
  appendFileSync(process.env['MUTATION_TOLD'] ?? '', `${JSON.stringify(told)}\n`);
}
