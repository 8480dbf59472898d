import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
// Without endings: Jest compiles what an environment imports, and does not map endings there.
import { endContextStorages } from './context-storages';
import { keptByWorker } from './worker-cache';
import './quiet-provider';

/** Jest's Node environment, with values that a process shares between its test files. */
export default class WorkerEnvironment extends TestEnvironment {
  private readonly isIsolated: boolean;

  /**
   * With a global object that is one: Jest's represents another, behind a Proxy, and each look at a global such as `Math`
   * costs fifty times as much.
   */
  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...given);
      this.isIsolated = given[0].projectConfig.testEnvironmentOptions['isolated'] === true;
    } finally {
      vm.createContext = createContext;
    }
  }

  override async setup(): Promise<void> {
    await super.setup();
    this.global.keptByWorker = keptByWorker;
    if (!this.isIsolated) this.refuseWhatReachesNobody();
  }

  /** Replaced globals do not affect the service that the process has loaded, so a test would check nothing. */
  private refuseWhatReachesNobody(): void {
    const refuse = (what: string) => (): never => {
      throw new Error(`${what} not reach the service here: see ISOLATED in jest.config.js.`);
    };
    if (this.fakeTimersModern !== null)
      this.fakeTimersModern.useFakeTimers = refuse('Fake timers do');
    const { process, Date: dates } = this.global;
    process.env = new Proxy(process.env, { set: refuse('Variables of the environment do') });
    // `jest.spyOn` then fails because it is read-only.
    Object.defineProperty(dates, 'now', { writable: false, configurable: false });
  }

  override async teardown(): Promise<void> {
    await super.teardown();
    endContextStorages();
  }
}
