/** What the linters refuse: a file as somebody might write it, where it lies, and the rule that says no. */
export interface Refused {
  readonly rule: string;
  /** Folder of the file. */
  readonly folder: string;
  readonly code: string;
  /** `ts` unless told otherwise. */
  readonly extension?: 'ts' | 'js';
}

const PROMISE = 'declare function work(): Promise<number>;\n';
const ANY = 'declare const thing: any;\n';
const RFC = 'https://www.rfc-editor.org/rfc/rfc8628#section-3.5';

/** What types tell; the same in every folder, and so looked for in several. */
const withTypes: Readonly<Record<string, string>> = {
  'await-thenable': 'declare const n: number;\nexport const f = async () => await n;',
  'no-array-delete': 'declare const list: number[];\ndelete list[0];',
  'no-base-to-string': "declare const o: { a: 1 };\nexport const s = '' + String(o);",
  'no-confusing-void-expression': 'declare function f(): void;\nexport const x = f();',
  'no-deprecated': '/** @deprecated */\ndeclare function old(): void;\nold();',
  'no-floating-promises': `${PROMISE}work();`,
  'no-for-in-array': 'declare const l: number[];\nfor (const i in l) {\n  l.push(Number(i));\n}',
  'no-implied-eval': "new Function('a', 'return a');",
  'no-misused-promises': `${PROMISE}if (work()) {\n  void work();\n}`,
  'no-misused-spread': `${PROMISE}export const o = { ...work() };`,
  'no-redundant-type-constituents': 'export type T = string | unknown;',
  'no-unnecessary-boolean-literal-compare':
    'declare const b: boolean;\nexport const c = b === true;',
  'no-unnecessary-condition': 'declare const o: { a: 1 };\nexport const c = o?.a;',
  'no-unnecessary-template-expression': "export const s = `${'a'}b`;",
  'no-unnecessary-type-assertion': 'declare const s: string;\nexport const t = s as string;',
  'no-unsafe-argument': `${ANY}declare function f(n: number): void;\nf(thing);`,
  'no-unsafe-assignment': `${ANY}export const n: number = thing;`,
  'no-unsafe-call': `${ANY}thing();`,
  'no-unsafe-enum-comparison': 'enum E {\n  A,\n}\ndeclare const e: E;\nexport const c = e === 0;',
  'no-unsafe-member-access': `${ANY}void thing.a;`,
  'no-unsafe-return': `${ANY}export const f = (): number => thing;`,
  'non-nullable-type-assertion-style':
    'declare const s: string | undefined;\nexport const t = s as string;',
  'only-throw-error': "export const f = () => {\n  throw 'no';\n};",
  'prefer-find': 'declare const l: number[];\nexport const n = l.filter((i) => i > 1)[0];',
  'prefer-includes': "declare const s: string;\nexport const b = s.indexOf('a') !== -1;",
  'prefer-nullish-coalescing':
    'declare const s: string | undefined | null;\nexport const t = s || 1;',
  'prefer-optional-chain':
    'declare const o: { a: { b: 1 } } | undefined;\nexport const b = o && o.a && o.a.b;',
  'prefer-promise-reject-errors': "export const p = Promise.reject('no');",
  'prefer-regexp-exec': "export const m = 'a'.match(/a/);",
  'require-await': 'export const f = async () => 1;',
  'restrict-plus-operands': "export const s = 1 + 'a';",
  'restrict-template-expressions': 'declare const o: { a: 1 };\nexport const s = `${o}`;',
  'return-await':
    PROMISE +
    'export const f = async () => {\n  try {\n    return work();\n  } catch {\n    return await work();\n  }\n};',
  'switch-exhaustiveness-check':
    "declare const k: 'a' | 'b';\nswitch (k) {\n  case 'a':\n    break;\n}",
  'unbound-method': 'class C {\n  m(): void {}\n}\nexport const m = new C().m;',
  'use-unknown-in-catch-callback-variable': `${PROMISE}void work().catch((e: Error) => e.name);`,
  'dot-notation': "declare const o: { a: 1 };\nexport const a = o['a'];",
};

/** What the text alone tells. */
const withoutTypes: Readonly<Record<string, string>> = {
  'typescript(array-type)': 'export type L = Array<string>;',
  'typescript(ban-ts-comment)': '// @ts-ignore\nexport const n = 1;',
  'typescript(consistent-type-assertions)': 'export const n = <number>1;',
  'typescript(consistent-type-definitions)': 'export type O = { a: 1 };',
  'typescript(consistent-type-imports)': "import { A } from './a.js';\nexport type B = A;",
  'typescript(no-dynamic-delete)':
    "declare const o: Record<string, 1>;\nconst k = String(1);\ndelete o[k + 'a'];",
  'typescript(no-empty-object-type)': 'export type O = {};',
  'typescript(no-explicit-any)': 'export type A = any;',
  'typescript(no-extraneous-class)': 'export class C {\n  static a = 1;\n}',
  'typescript(no-invalid-void-type)': 'export type V = void | string;',
  'typescript(no-namespace)': 'namespace N {}',
  'typescript(no-non-null-assertion)':
    'declare const s: string | undefined;\nexport const n = s!.length;',
  'typescript(no-require-imports)': "import fs = require('fs');\nexport default fs;",
  'typescript(no-this-alias)':
    'export function f(this: object) {\n  const that = this;\n  return that;\n}',
  'typescript(no-unsafe-function-type)': 'export type F = Function;',
  'typescript(prefer-for-of)':
    'declare const l: number[];\nfor (let i = 0; i < l.length; i++) {\n  void l[i];\n}',
  'eslint(no-empty)': 'if (Date.now()) {\n}',
  'eslint(no-empty-function)': 'export function f() {}',
  'eslint(no-debugger)': 'debugger;',
  'eslint(no-control-regex)': 'export const r = /\\x00/;',
  'eslint(no-fallthrough)':
    'declare const n: number;\nswitch (n) {\n  case 1:\n    void n;\n  default:\n    void n;\n}',
  'eslint(no-unused-vars)': 'const unused = 1;',
  'eslint(no-unused-expressions)': 'declare const n: number;\nn + 1;',
  'eslint(no-useless-assignment)': 'export function f() {\n  let a = 1;\n  a = 2;\n  return a;\n}',
  'eslint(no-var)': 'export var a = 1;',
  'eslint(prefer-const)': 'let a = 1;\nexport const b = a;',
  'eslint(preserve-caught-error)':
    'try {\n  void 1;\n} catch (e) {\n  throw new Error(String(e));\n}',
};

/** The house's own. */
const house: readonly Refused[] = [
  ...['src/panel', 'service/oauth'].flatMap((folder): Refused[] => [
    {
      rule: 'eslint(no-duplicate-imports)',
      folder,
      code: "import { a } from './a.js';\nimport { b } from './a.js';\nexport { a, b };",
    },
    {
      rule: 'typescript(no-import-type-side-effects)',
      folder,
      code: "import { type A } from './a.js';\nexport type B = A;",
    },
    {
      rule: 'typescript(parameter-properties)',
      folder,
      code: 'export class C {\n  readonly a: string;\n  constructor(a: string) {\n    this.a = a;\n  }\n}',
    },
    {
      rule: 'comments/throws-type',
      folder,
      code: '/** @throws when it fails. */\nexport const a = 1;',
    },
    { rule: 'comments/rfc-links', folder, code: '/** See RFC 8628. */\nexport const a = 1;' },
    {
      rule: 'no-restricted-syntax',
      folder,
      code: 'export class C {\n  #a = 1;\n  b = () => this.#a;\n}',
    },
  ]),
  {
    rule: 'no-restricted-syntax',
    folder: 'src/base',
    code: 'export const f = (): string | undefined => String(1);',
  },
  {
    rule: 'no-restricted-syntax',
    folder: 'service/http',
    code: 'export function f(): string | null {\n  return String(1);\n}',
  },
  ...['src', 'service', 'build', 'preview', 'scripts', 'bench'].map((folder) => ({
    rule: 'eslint(curly)',
    folder,
    code: 'if (Date.now() > 1) void 1;',
  })),
];

const import_ = (folder: string, from: string): Refused => ({
  rule: 'no-restricted-imports',
  folder,
  code: `import '${from}';`,
});

const layers = ['panel', 'uploads', 'api', 'oauth', 'host', 'base'];

/** Imports that point the wrong way. */
const imports: readonly Refused[] = [
  ...layers.flatMap((layer, index) => [
    ...layers.slice(0, index).map((above) => import_(`src/${layer}`, `../${above}/a.js`)),
    import_(`src/${layer}`, '../main.js'),
    import_(`src/${layer}`, 'node:fs'),
    import_(`src/${layer}`, '../../service/errors.js'),
  ]),
  import_('src/host/uxp', '../../oauth/a.js'),
  ...'accounts content me oauth people photos projects settings shares thumbnails uploads visits'
    .split(' ')
    .map((part) => import_('service/database', `../${part}/a.js`)),
];

export const REFUSED: readonly Refused[] = [
  ...Object.entries(withTypes).flatMap(([rule, code]) =>
    ['src/base', 'service', 'test/support'].map((folder) => ({
      rule: `typescript(${rule})`,
      folder,
      code,
    })),
  ),
  ...Object.entries(withoutTypes).flatMap(([rule, code]) =>
    ['src/base', 'service', 'test/support'].map((folder) => ({ rule, folder, code })),
  ),
  ...house,
  ...imports,
  ...['oxlint', 'eslint'].map((linter) => ({
    rule: 'unused directive',
    folder: 'service',
    code: `// ${linter}-disable-next-line no-debugger\nexport const a = 1;`,
  })),
  {
    rule: 'eslint(no-unused-vars)',
    folder: 'scripts',
    code: 'export const f = (_a: number) => 1;',
  },
  {
    rule: 'eslint(no-undef)',
    folder: 'scripts',
    extension: 'js',
    code: 'export const f = () => window;',
  },
  { rule: 'eslint(no-unused-vars)', folder: 'scripts', extension: 'js', code: 'const a = 1;' },
  // Errors of syntax in a module.
  {
    rule: "'0'-prefixed octal literals and octal escape sequences are deprecated",
    folder: 'scripts',
    extension: 'js',
    code: 'export const a = 010;',
  },
  {
    rule: 'Identifier `a` has already been declared',
    folder: 'scripts',
    extension: 'js',
    code: 'export function f(a, a) {}',
  },
];

/** What no rule refuses, so that none refuses everything. */
export const ACCEPTED: readonly Omit<Refused, 'rule'>[] = [
  {
    folder: 'src/uploads',
    code: `import '../api/a.js';\n/** See [RFC 8628 §3.5](${RFC}). */\nexport const f = (): string | null => String(1);`,
  },
  {
    folder: 'service/database',
    code: "import '../photos/paths.js';\n/** @throws {CwError} when it fails. */\nexport const f = (): string | undefined => String(1);",
  },
  { folder: 'test/support', code: 'if (Date.now() > 1) void 1;' },
  {
    folder: 'scripts',
    code: `export function f(): void {\n${'  void 1;\n'.repeat(48)}}`,
  },
];
