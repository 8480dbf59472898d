/** A table in Markdown, whose columns are as wide as their widest cell. The first row is its head. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => (row[at] ?? '').length)),
  );
  const [head = '', ...body] = rows.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`,
  );
  return [head, head.replaceAll(/[^|]/g, '-').replaceAll(/-(?=\|)|(?<=\|)-/g, ' '), ...body].join(
    '\n',
  );
}
