import { describe, expect, it } from '@jest/globals';
import {
  dayOf,
  nameFromPattern,
  patternProblem,
  type NameValues,
} from '../../../src/features/presets/name-pattern.js';
import { anyText } from '../../support/arbitrary-text.js';
import fc from '../../support/properties.js';

const VALUES: NameValues = {
  name: 'DSC_0123',
  date: '2026-11-25',
  preset: 'Web',
  project: 'Anna & Ben',
};

describe('a name pattern', () => {
  it.each<[pattern: string, name: string, values?: Partial<NameValues>]>([
    ['{name}', 'DSC_0123'],
    ['{name}-web', 'DSC_0123-web'],
    ['{date} {project} {name}', '2026-11-25 Anna & Ben DSC_0123'],
    ['{preset}_{name}', 'Web_DSC_0123'],
    ['Müller 結婚式', 'Müller 結婚式'],
    // Without a project, its separator goes, too.
    ['{project} - {name}', 'DSC_0123', { project: '' }],
    ['{name} - {project}', 'DSC_0123', { project: '' }],
    ['{date}_{project}_{name}', '2026-11-25_DSC_0123', { project: '' }],
    ['for {project} {name}', 'for DSC_0123', { project: '' }],
    ['{project}', 'DSC_0123', { project: '' }],
    // A name of a camera keeps its first character.
    ['{name}', '_MG_0123', { name: '_MG_0123' }],
    ['{name}', 'a-b-c', { name: 'a/b\\c' }],
    ['{name}', 'ab', { name: 'a\u202eb' }],
    ['{name}', '_CON', { name: 'CON' }],
    ['{name}', 'a', { name: '..a. ' }],
    ['{name}', 'document', { name: ' ' }],
  ])('%s gives %s', (pattern, name, values = {}) => {
    expect(patternProblem(pattern)).toBeNull();
    expect(nameFromPattern(pattern, { ...VALUES, ...values })).toBe(name);
  });

  it.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['{names}', 'placeholder'],
    ['{Name}', 'placeholder'],
    ['{name', 'placeholder'],
    ['name}', 'placeholder'],
    ['a/{name}', 'characters'],
    ['{name}?', 'characters'],
    ['{name}\u0000', 'characters'],
    ['{name}\u202e', 'characters'],
    [`{name}${'x'.repeat(100)}`, 'long'],
  ])('%j is refused as %s', (pattern, problem) => {
    expect(patternProblem(pattern)).toBe(problem);
  });

  it('gives a file name for every pattern that is not refused, whatever the values are', () => {
    const pieces = fc.array(
      fc.oneof(fc.constantFrom('{name}', '{date}', '{preset}', '{project}', ' - ', '.'), anyText()),
      { maxLength: 6 },
    );
    const value = anyText({ maxLength: 300 });
    fc.assert(
      fc.property(pieces, value, value, value, (parts, name, preset, project) => {
        const pattern = parts.join('');
        fc.pre(patternProblem(pattern) === null);
        const made = nameFromPattern(pattern, { name, date: '2026-11-25', preset, project });
        expect(made).not.toMatch(/[\\/:*?"<>|\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
        expect(made).not.toMatch(/^[. ]|[. ]$|^$/);
        expect(made).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
        expect(made.length).toBeLessThanOrEqual(81);
      }),
      { numRuns: 300 },
    );
  });

  it('writes the day on this computer', () => {
    expect(dayOf(new Date(2026, 0, 5, 23, 59).getTime())).toBe('2026-01-05');
  });
});
