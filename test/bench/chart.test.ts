import { describe, expect, it } from '@jest/globals';
import { JSDOM } from 'jsdom';

import { barChart, readable } from '../../bench/chart.js';

describe('the bar chart', () => {
  it('is well-formed SVG whose bars are as long as their values', () => {
    const svg = barChart([
      {
        title: 'a < b & c',
        unit: 's',
        bars: [
          { label: 'whole', value: 8 },
          { label: 'half', value: 4, isOurs: true },
        ],
      },
    ]);
    const { document } = new JSDOM(svg, { contentType: 'image/svg+xml' }).window;
    const widths = [...document.querySelectorAll('rect[x]')].map((bar) =>
      Number(bar.getAttribute('width')),
    );
    expect(widths[0]).toBeGreaterThan(100);
    expect(widths[1]).toBeCloseTo((widths[0] ?? 0) / 2, 0);
    const texts = [...document.querySelectorAll('text')].map(({ textContent }) => textContent);
    expect(texts).toEqual(['a < b & c', 'whole', '8 s', 'half', '4 s']);
  });

  it('writes numbers with the digits that count', () => {
    expect([0.98765, 12.345, 12345.6, Number.NaN].map(readable)).toEqual([
      '0.988',
      '12.3',
      '12,346',
      '–',
    ]);
  });
});
