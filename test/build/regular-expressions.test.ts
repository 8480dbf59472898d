import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type * as recheck from 'recheck';
import ts from 'typescript';

/** The form for browsers starts no other program. */
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof recheck;

const ROOT = path.join(import.meta.dirname, '../..');
const FOLDERS = ['src', 'service', 'packages'];
/** Stands beside an expression whose subject has a short maximum length. */
const EXCEPTION = 'Short subject: ';
const LINES_BEFORE = 2;

interface Literal {
  readonly source: string;
  readonly flags: string;
  readonly isExcepted: boolean;
  readonly place: string;
}

function literalsOf(file: string): readonly Literal[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const lines = text.split('\n');
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : undefined;
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const found: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      const end = node.text.lastIndexOf('/');
      found.push({
        source: node.text.slice(1, end),
        flags: node.text.slice(end + 1),
        isExcepted: lines
          .slice(Math.max(0, line - LINES_BEFORE), line + 1)
          .some((one) => one.includes(EXCEPTION)),
        place: `${file}:${line + 1}`,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

const literals = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|js)$/.test(name))
    .flatMap((name) => literalsOf(path.posix.join(folder, name))),
);

/** The complexity of an expression that is not linear, with a text that shows it. */
function problemOf({ source, flags }: Pick<Literal, 'source' | 'flags'>): string | undefined {
  const found = checkSync(source, flags, { timeout: 20_000, randomSeed: 1 });
  if (found.status === 'unknown') return 'not checked in time';
  return found.status === 'vulnerable'
    ? `${found.complexity.summary}: ${found.attack.pattern}`
    : undefined;
}

describe('the regular expressions of plugin, service and packages', () => {
  it('take time that is linear in their subject, or have a short one', () => {
    expect(literals.length).toBeGreaterThan(200);
    const problems = new Map<string, string>();
    const seen = new Set<string>();
    for (const literal of literals.filter(({ isExcepted }) => !isExcepted)) {
      const key = `/${literal.source}/${literal.flags}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const problem = problemOf(literal);
      if (problem !== undefined) problems.set(literal.place, problem);
    }
    expect(Object.fromEntries(problems)).toEqual({});
  });

  it.each([
    ['a quantifier in front of the end', String.raw`\s{100,}(?=<\?xpacket end=)`],
    ['two that take the same', String.raw`^\S+@\S+$`],
    ['one inside another', '^(a+)+$'],
  ])('would be found: %s', (_name, source) => {
    expect(problemOf({ source, flags: '' })).toEqual(expect.any(String));
  });
});
