/**
 * fast-check, as the tests use it. By default it makes no list longer than ten, for any maximum length;
 * here lists reach their maximum length.
 * @packageDocumentation
 */
import fc from 'fast-check';
import { testSeed } from './seeded-random.js';

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  defaultSizeToMaxWhenMaxSpecified: true,
  ...(process.env['TEST_SEED'] !== undefined && { seed: testSeed() }),
});

export default fc;
