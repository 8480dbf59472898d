import { TestEnvironment } from 'jest-environment-jsdom';
// Without endings: Jest compiles what an environment imports, and does not map endings there.
import { Watch, type TestEvent } from './watch';

/** The environment of the tests of the panel, watched for one-by-one.ts. */
export default class WatchedPage extends TestEnvironment {
  private readonly watch: Watch;

  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
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
