import { appendFileSync } from 'node:fs';
import type { TestEnvironment } from 'jest-environment-node';

/** What a process that runs tests for one-by-one.ts reports: lines of JSON in the file that MUTATION_TOLD names. */
export type Told =
  | { readonly kind: 'begun'; readonly test: string }
  /** A test file has ended. `reached`: ids of the mistakes whose code it reached; `tests`: how many tests it ran. */
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
      /** The messages of the errors. */
      readonly why: string;
    };

/** The environment variable that makes tests go on after a failure. */
export const GO_ON = 'MUTATION_GO_ON';

/** The parts of jest-circus events that are read here. */
export interface TestEvent {
  readonly name: string;
  readonly test?: { readonly name: string; readonly errors: readonly unknown[] };
  readonly error?: unknown;
}

/** The global that code with inactive mistakes writes: the mistakes that were reached. */
interface Reached {
  readonly __stryker__?: { readonly mutantCoverage?: { readonly static: object } };
}

/** Follows one test file. Ends the process at the first failure, since one is enough, unless {@link GO_ON} is set. */
class Watch {
  private readonly begunAt = performance.now();
  private tests = 0;

  /** @param test the path of the test file */
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

  /** @param global the global object of the tests */
  end(global: object): void {
    const { __stryker__ } = global as Reached;
    const reached = Object.keys(__stryker__?.mutantCoverage?.static ?? {});
    const seconds = (performance.now() - this.begunAt) / 1000;
    tell({ kind: 'ended', test: this.test, seconds, tests: this.tests, reached });
  }
}

/** What this needs of the environment that Jest runs a test file in. */
interface Environment {
  readonly global: object;
  teardown(): Promise<void>;
}

type EnvironmentClass = new (
  ...given: ConstructorParameters<typeof TestEnvironment>
) => Environment;

/** The same environment, but its tests are followed and reported. */
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
