// Without endings: Jest compiles what an environment imports, and does not map endings there.
import WorkerEnvironment from '../../test/support/environment';
import { Watch, type TestEvent } from './watch';

/** The environment of the tests, watched for one-by-one.ts. */
export default class WatchedEnvironment extends WorkerEnvironment {
  private readonly watch: Watch;

  constructor(...given: ConstructorParameters<typeof WorkerEnvironment>) {
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
}
