import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import { nameOf } from './name.js';

/** Lets through only the mutants that were drawn (option `sample`); Stryker counts the others as not valid. */
class SampleChecker {
  static inject = tokens(commonTokens.options);

  constructor(options) {
    this.sample = new Set(options.sample);
  }

  init() {
    return Promise.resolve();
  }

  check(mutants) {
    return Promise.resolve(
      Object.fromEntries(
        mutants.map((mutant) => [
          mutant.id,
          this.sample.has(nameOf(mutant))
            ? { status: 'passed' }
            : { status: 'compileError', reason: 'not drawn' },
        ]),
      ),
    );
  }

  /** All at once: nothing is compiled for an answer. */
  group(mutants) {
    return Promise.resolve([mutants.map(({ id }) => id)]);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', SampleChecker)];
