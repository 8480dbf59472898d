import { describe, expect, it } from '@jest/globals';
import { isOlder } from '../../src/util/version.js';

describe('isOlder', () => {
  it.each([
    ['8.3.9', '8.4', true],
    ['8.4', '8.4', false],
    ['8.4.0', '8.4', false],
    ['8.10.0', '8.4', false],
    ['7', '8.4', true],
    ['9.0.0', '8.4', false],
    ['8', '8.0.1', true],
    ['uxp-8.3.9', '8.4', true],
    ['uxp-8.4.0', '8.4', false],
    ['uxp-9.10.0', '9.2', false],
    ['uxp-', '8.4', false],
    ['browser', '8.4', false],
    ['', '8.4', false],
  ])('compares %s with %s', (version, least, expected) => {
    expect(isOlder(version, least)).toBe(expected);
  });
});
