/** Horizontal bars in groups, each group with its own scale. */
export interface Chart {
  readonly title: string;
  /** Written behind each value. */
  readonly unit: string;
  readonly bars: readonly {
    readonly label: string;
    readonly value: number;
    readonly isOurs?: boolean;
  }[];
}

const WIDTH = 720;
const LABELS = 250;
const VALUES = 90;
const BAR = 18;
const ROW = 24;
const HEAD = 34;

/** Draws charts below one another. Colours are readable on white and on black. */
export function barChart(charts: readonly Chart[]): string {
  const parts: string[] = [];
  let y = 0;
  for (const { title, unit, bars } of charts) {
    parts.push(text(0, y + 20, title, 'font-weight="bold"'));
    y += HEAD;
    const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
    for (const { label, value, isOurs } of bars) {
      const width = Math.max(1, (value / most) * (WIDTH - LABELS - VALUES));
      const fill = isOurs === true ? '#2680eb' : '#8a8a8a';
      parts.push(
        text(LABELS - 8, y + 13, label, 'text-anchor="end"'),
        `<rect x="${LABELS}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" fill="${fill}"/>`,
        text(LABELS + width + 6, y + 13, `${readable(value)} ${unit}`.trim(), ''),
      );
      y += ROW;
    }
    y += 10;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" font-family="sans-serif" font-size="13">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

/** Three digits that count. */
export function readable(value: number): string {
  if (!Number.isFinite(value)) {
    return '–';
  }
  if (Math.abs(value) >= 100) {
    return Math.round(value).toLocaleString('en');
  }
  return String(Number(value.toPrecision(3)));
}

function text(x: number, y: number, content: string, more: string): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="#222222" ${more}>${escaped}</text>`;
}
