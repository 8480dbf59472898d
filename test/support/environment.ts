import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
// Without endings: Jest compiles what an environment imports, and does not map endings there.
import { endContextStorages } from './context-storages';
import { keptByWorker } from './kept-by-worker';

/** Node, as Jest has it, and what is made once in a process for all of its test files. */
export default class WorkerEnvironment extends TestEnvironment {
  /**
   * With a global object that is one: Jest's stands for another, behind a Proxy, and each look at a global such as `Math`
   * costs fifty times as much.
   */
  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...given);
    } finally {
      vm.createContext = createContext;
    }
  }

  override async setup(): Promise<void> {
    await super.setup();
    this.global.keptByWorker = keptByWorker;
  }

  override async teardown(): Promise<void> {
    await super.teardown();
    endContextStorages();
  }
}
