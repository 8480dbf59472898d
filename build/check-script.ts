/* oxlint-disable max-lines -- one walk over the script, with a rule for each kind of node */
import type { AnyNode, CallExpression, Expression, Program, Super } from 'acorn';
import { parse } from 'acorn';
import { fullAncestor } from 'acorn-walk';
import type { Reference, ScopeManager } from 'eslint-scope';
import { analyze } from 'eslint-scope';
import type { AbsentFact, Target } from '../host-surface/index.js';
import { absent, exists, globals, html, membersOf, modules } from '../host-surface/index.js';
import { attributeProblem, elementProblem } from '../host-surface/html-rules.js';
import { practised } from '../host-surface/practice.js';
import { allowedGlobals, allowedListeners, allowedMembers } from './allowed.js';
import { checkDeclarations, propertyProblem } from './check-style.js';
import type { Problem } from './problem.js';

/** The language itself as of ES2020, the edition the bundle is written in. */
const language = new Set(
  (
    'Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp ' +
    'Error EvalError RangeError ReferenceError SyntaxError TypeError URIError JSON Math Map Set WeakMap WeakSet BigInt ' +
    'Proxy Reflect ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array ' +
    'Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array decodeURI decodeURIComponent encodeURI ' +
    'encodeURIComponent escape unescape isFinite isNaN globalThis eval'
  ).split(' '),
);

/** Global objects whose members can be told by name, and the class or object that lists them. */
const objects: Readonly<Record<string, string>> = {
  document: 'Document',
  navigator: 'navigator',
  crypto: 'crypto',
  console: 'console',
  localStorage: 'localStorage',
  sessionStorage: 'sessionStorage',
  path: 'path',
};

/** Each creative app has one of these: its own. */
const appModules: readonly string[] = ['photoshop', 'indesign', 'premierepro'];

/** Member names so peculiar to the web that the object does not matter. */
const peculiarMembers = new Map(
  absent
    .filter(
      (fact) => fact.kind === 'member' && /^(Element|document|HTML\w+)$/.test(fact.object ?? ''),
    )
    .filter(
      (fact) => !['files', 'cookie', 'fonts', 'submit', 'animate', 'classList'].includes(fact.name),
    )
    .map((fact) => [fact.name, fact] as const),
);

/** Events a host never sends, by literal name. */
const deadEvents = new Map(
  absent
    .filter((fact) => fact.kind === 'event' && fact.object !== 'XMLHttpRequest')
    .map((fact) => [fact.name, fact] as const),
);

/** Checks one script of the bundle: free names, members where they are decidable, elements made, syntax. */
export function checkScript(file: string, source: string, target: Target): Problem[] {
  const program = parseScript(source);
  if (program instanceof SyntaxError) {
    return [
      {
        file,
        name: 'syntax',
        problem: `not a classic script of ES2020: ${program.message}`,
        instead:
          'compile to ES2020, one script without import, export, import() or top-level await',
      },
    ];
  }
  return new ScriptCheck(file, program, target).run();
}

function parseScript(source: string): Program | SyntaxError {
  try {
    return parse(source, {
      ecmaVersion: 2020,
      sourceType: 'script',
      locations: true,
      ranges: true,
      allowHashBang: false,
    });
  } catch (error) {
    return error instanceof SyntaxError ? error : new SyntaxError(String(error));
  }
}

/** A function of ours that makes elements: which argument is the tag. */
interface Maker {
  readonly tagIndex: number;
}

class ScriptCheck {
  readonly #problems: Problem[] = [];
  readonly #scopes: ScopeManager;
  readonly #free: ReadonlySet<unknown>;
  /** Free names the code asks `typeof` about. */
  readonly #asked = new Set<string>();

  constructor(
    private readonly file: string,
    private readonly program: Program,
    private readonly target: Target,
  ) {
    this.#scopes = analyze(program as Parameters<typeof analyze>[0], {
      ecmaVersion: 2020,
      sourceType: 'script',
    });
    const through = this.#scopes.globalScope?.through ?? [];
    this.#free = new Set(through.map((reference) => reference.identifier));
  }

  run(): Problem[] {
    const nodes: { node: AnyNode; parents: AnyNode[] }[] = [];
    fullAncestor(this.program, (node, _state, ancestors) => {
      nodes.push({ node, parents: ancestors.slice(0, -1) });
    });
    for (const { node } of nodes) {
      if (node.type === 'UnaryExpression' && node.operator === 'typeof') {
        const name = this.#freeName(node.argument);
        if (name !== undefined) {
          this.#asked.add(name);
        }
      }
    }
    this.#checkNames(nodes);
    const makers = this.#makers(nodes);
    for (const { node, parents } of nodes) {
      if (node.type === 'NewExpression') {
        this.#checkNew(node, node.callee);
      } else if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
        if (node.superClass) {
          this.#checkNew(node, node.superClass);
        }
      } else if (node.type === 'MemberExpression') {
        this.#checkMember(node, parents.at(-1));
      } else if (node.type === 'CallExpression') {
        this.#checkCall(node, makers);
      } else if (node.type === 'ImportExpression') {
        this.#add(node, 'import()', 'a host has no dynamic import', 'one bundle');
      } else if (node.type === 'Property') {
        const key = keyOf(node);
        if (key?.startsWith('aria-') === true) {
          this.#attribute(node, '*', key, undefined);
        }
      }
    }
    return this.#problems;
  }

  #checkNames(nodes: readonly { node: AnyNode; parents: AnyNode[] }[]): void {
    const typeofOperands = new Set(
      nodes.map(({ node }) =>
        node.type === 'UnaryExpression' && node.operator === 'typeof' ? node.argument : undefined,
      ),
    );
    const seen = new Set<string>();
    for (const reference of this.#scopes.globalScope?.through ?? []) {
      const node = reference.identifier as unknown as AnyNode;
      const name = reference.identifier.name;
      if (seen.has(name) || language.has(name)) {
        continue;
      }
      const fact = globals[name];
      const isUsable =
        practised().includes(name) ||
        name === 'exports' ||
        (fact !== undefined && fact.onlyUsed !== true && exists(fact, this.target));
      if (isUsable) {
        continue;
      }
      // Asking for a name harms nobody; using it afterwards needs a place on the list.
      if (typeofOperands.has(node as Expression)) {
        continue;
      }
      const allowed = allowedGlobals.find((entry) => entry.name === name);
      if (allowed?.how === 'unreached') {
        continue;
      }
      if (allowed?.how === 'guarded' && this.#asked.has(name)) {
        continue;
      }
      seen.add(name);
      if (fact !== undefined && fact.onlyUsed !== true) {
        const why =
          fact.since === undefined
            ? 'behind a feature flag'
            : `documented from UXP ${fact.since} on`;
        this.#add(
          node,
          name,
          `${why}, the oldest host has ${this.target.uxpVersion}`,
          insteadOf(name),
        );
      } else {
        this.#add(node, name, 'undocumented global', insteadOf(name));
      }
    }
  }

  #checkNew(node: AnyNode, callee: Expression | Super): void {
    const name = this.#freeName(callee);
    if (name === undefined) {
      return;
    }
    const shown = `new ${name}`;
    if (name === 'Function') {
      this.#add(
        node,
        shown,
        'code from strings needs a permission we do not ask for',
        'a function',
      );
      return;
    }
    const fact = absent.find((entry) => entry.kind === 'constructor' && entry.name === name);
    // A class that is missing altogether is reported by its name.
    if (fact === undefined || globals[name] === undefined) {
      return;
    }
    if (allowedGlobals.some((entry) => entry.name === shown)) {
      return;
    }
    this.#add(
      node,
      shown,
      'the constructor is undocumented',
      fact.instead ?? 'nothing of the kind',
    );
  }

  #checkMember(
    node: Extract<AnyNode, { type: 'MemberExpression' }>,
    parent: AnyNode | undefined,
  ): void {
    const member = memberName(node);
    if (member === undefined) {
      return;
    }
    const object = this.#freeName(node.object);
    if (/^aria[A-Z]/.test(member)) {
      this.#add(node, member, 'aria properties are unsupported', 'visible text');
      return;
    }
    if (object !== undefined) {
      if (object === 'window' || object === 'globalThis') {
        this.#checkWindowMember(node, object, member);
      } else {
        this.#checkKnownMember(node, object, member);
      }
      return;
    }
    const moduleName = this.#requiredModule(node.object);
    if (moduleName !== undefined) {
      this.#checkModuleMember(node, moduleName, member);
    }
    const isWritten = parent?.type === 'AssignmentExpression' && parent.left === node;
    if (
      isWritten &&
      node.object.type === 'MemberExpression' &&
      memberName(node.object) === 'style'
    ) {
      this.#checkStyleProperty(node, member);
      return;
    }
    const peculiar = peculiarMembers.get(member);
    if (peculiar !== undefined) {
      this.#add(
        node,
        `.${member}`,
        'undocumented member',
        peculiar.instead ?? 'nothing of the kind',
      );
    }
  }

  #checkWindowMember(node: AnyNode, object: string, member: string): void {
    const allowed = new Set([...membersOf('window', this.target), ...practised(), ...language]);
    const fact = globals[member];
    if (
      allowed.has(member) ||
      (fact !== undefined && fact.onlyUsed !== true && exists(fact, this.target))
    ) {
      return;
    }
    this.#add(node, `${object}.${member}`, 'undocumented global', insteadOf(member, 'window'));
  }

  #checkKnownMember(node: AnyNode, object: string, member: string): void {
    const shown = `${object}.${member}`;
    if (allowedMembers.some((entry) => entry.name === shown)) {
      return;
    }
    const listedBy = objects[object];
    if (listedBy !== undefined) {
      if (membersOf(listedBy, this.target).has(member) || practised(listedBy).includes(member)) {
        return;
      }
      this.#add(node, shown, 'undocumented member', insteadOf(member, object));
      return;
    }
    const missing = absent.find(
      (fact) => fact.object === object && fact.name === member && fact.kind === 'static',
    );
    if (missing !== undefined && !practised(object).includes(member)) {
      this.#add(
        node,
        shown,
        'undocumented static member',
        missing.instead ?? 'nothing of the kind',
      );
      return;
    }
    const fact = globals[object];
    if (fact?.kind !== 'class' || fact.membersUnknown === true || language.has(object)) {
      return;
    }
    const own = exists({ since: fact.staticSince }, this.target) ? (fact.static ?? []) : [];
    const known = new Set(['prototype', 'name', 'length', ...own]);
    if (!known.has(member)) {
      this.#add(node, shown, 'undocumented static member', insteadOf(member, object));
    }
  }

  #checkModuleMember(node: AnyNode, module: string, member: string): void {
    const own = modules.members[module];
    const inside = Object.keys(modules.members).filter((name) => name.startsWith(`${module}.`));
    const known = new Set([...(own ?? []), ...inside.map((name) => name.split('.')[1] ?? '')]);
    const since = modules.since[`${module}.${member}`];
    // Of the apps' own modules only a part is listed, or nothing.
    if (appModules.includes(module) || (known.has(member) && exists({ since }, this.target))) {
      return;
    }
    this.#add(
      node,
      `require('${module}').${member}`,
      'undocumented member',
      `one of ${[...known].join(', ')}`,
    );
  }

  #checkStyleProperty(node: AnyNode, member: string): void {
    if (member === 'cssText' || member === 'setProperty') {
      return;
    }
    const property = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const found = propertyProblem(property, this.target);
    if (found !== undefined) {
      this.#add(node, `style.${member}`, found.problem, found.instead);
    }
  }

  #checkCall(node: CallExpression, makers: ReadonlyMap<unknown, Maker>): void {
    const { callee } = node;
    const [first, second, third] = node.arguments.map(literalOf);
    const name = this.#freeName(callee);
    if (name === 'eval' || name === 'Function') {
      this.#add(node, name, 'code from strings needs a permission we do not ask for', 'a function');
    }
    if (name === 'require' && typeof first === 'string') {
      this.#checkRequire(node, first);
    }
    if ((name === 'setTimeout' || name === 'setInterval') && typeof first === 'string') {
      this.#add(node, name, 'code given as a string does not run', 'a function');
    }
    if (name === 'fetch') {
      this.#checkFetchOptions(node);
    }
    const maker = callee.type === 'Identifier' ? makers.get(this.#variableOf(callee)) : undefined;
    if (maker !== undefined) {
      this.#checkMade(node, maker);
    }
    if (callee.type !== 'MemberExpression') {
      return;
    }
    const method = memberName(callee);
    const text = typeof second === 'string' ? second : undefined;
    if (method === 'createElement' && typeof first === 'string') {
      this.#element(node, first);
    }
    if (method === 'setAttribute' && typeof first === 'string') {
      this.#checkSetAttribute(node, first, text);
    }
    if (method === 'addEventListener') {
      this.#checkListener(node, first);
    }
    if (
      method === 'open' &&
      third === false &&
      typeof first === 'string' &&
      /^[A-Z]+$/.test(first)
    ) {
      this.#add(
        node,
        'open(…, false)',
        'synchronous requests are refused',
        'an asynchronous request',
      );
    }
  }

  #checkRequire(node: CallExpression, module: string): void {
    if (globals['require'] === undefined || /^\.\.?\//.test(module)) {
      return;
    }
    if (!['uxp', 'fs', 'os', ...appModules].includes(module)) {
      const instead = 'uxp, fs, os or the host module';
      this.#add(node, `require('${module}')`, 'not a module of the host', instead);
    }
  }

  #checkSetAttribute(node: CallExpression, name: string, value: string | undefined): void {
    if (name !== 'style') {
      this.#attribute(node, '*', name, value);
    }
    for (const found of name === 'style'
      ? checkDeclarations(this.file, value ?? '', this.target)
      : []) {
      this.#add(node, found.name, found.problem, found.instead);
    }
  }

  #checkListener(node: CallExpression, event: unknown): void {
    if (allowedListeners.some((entry) => entry.event === event)) {
      return;
    }
    const dead = typeof event === 'string' ? deadEvents.get(event) : undefined;
    if (dead !== undefined) {
      this.#add(
        node,
        `event ${dead.name}`,
        'a host never sends it',
        dead.instead ?? 'nothing of the kind',
      );
    }
    const [, , options] = node.arguments;
    for (const option of options?.type === 'ObjectExpression' ? keysOf(options) : []) {
      if (option === 'capture') {
        continue;
      }
      const name = `addEventListener option ${option}`;
      this.#add(node, name, 'only capture is honoured', 'removeEventListener in the handler');
    }
  }

  #checkFetchOptions(node: CallExpression): void {
    const [, init] = node.arguments;
    if (init?.type !== 'ObjectExpression') {
      return;
    }
    for (const key of keysOf(init)) {
      if (['method', 'headers', 'body', 'credentials'].includes(key)) {
        continue;
      }
      const fact = absent.find((entry) => entry.object === 'fetch' && entry.name === key);
      this.#add(
        node,
        `fetch option ${key}`,
        'undocumented option',
        fact?.instead ?? 'XMLHttpRequest',
      );
    }
  }

  /** Functions that hand one of their parameters to createElement, by the variable that names them. */
  #makers(nodes: readonly { node: AnyNode; parents: AnyNode[] }[]): Map<unknown, Maker> {
    const makers = new Map<unknown, Maker>();
    for (const { node, parents } of nodes) {
      if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') {
        continue;
      }
      if (memberName(node.callee) !== 'createElement') {
        continue;
      }
      const [tag] = node.arguments;
      if (tag?.type !== 'Identifier') {
        continue;
      }
      for (const [index, around] of parents.entries()) {
        if (
          around.type !== 'FunctionDeclaration' &&
          around.type !== 'FunctionExpression' &&
          around.type !== 'ArrowFunctionExpression'
        ) {
          continue;
        }
        const tagIndex = around.params.findIndex(
          (param) => param.type === 'Identifier' && param.name === tag.name,
        );
        if (tagIndex < 0) {
          continue;
        }
        const holder = parents[index - 1];
        const id =
          around.type === 'FunctionDeclaration'
            ? around.id
            : holder?.type === 'VariableDeclarator'
              ? holder.id
              : undefined;
        const variable = id?.type === 'Identifier' ? this.#declared(id) : undefined;
        if (variable !== undefined) {
          makers.set(variable, { tagIndex });
        }
      }
    }
    return makers;
  }

  #checkMade(node: CallExpression, { tagIndex }: Maker): void {
    const tag = literalOf(node.arguments[tagIndex]);
    if (typeof tag !== 'string') {
      return;
    }
    this.#element(node, tag);
    for (const argument of node.arguments) {
      if (argument.type !== 'ObjectExpression') {
        continue;
      }
      for (const property of argument.properties) {
        if (property.type !== 'Property' || keyOf(property) !== 'attributes') {
          continue;
        }
        if (property.value.type !== 'ObjectExpression') {
          continue;
        }
        for (const attribute of property.value.properties) {
          const name = attribute.type === 'Property' ? keyOf(attribute) : undefined;
          if (attribute.type !== 'Property' || name === undefined) {
            continue;
          }
          const value = literalOf(attribute.value);
          this.#attribute(node, tag, name, typeof value === 'string' ? value : undefined);
        }
      }
    }
  }

  #element(node: AnyNode, tag: string): void {
    const found = elementProblem(tag, this.target);
    if (found !== undefined) {
      this.#add(node, found.name, found.problem, found.instead);
    }
  }

  /** @param tag '*' when the element is not known: then an attribute must be wrong on every element */
  #attribute(node: AnyNode, tag: string, name: string, value: string | undefined): void {
    const tags =
      tag === '*' ? ['div', ...Object.keys(html.elements), ...Object.keys(html.widgets)] : [tag];
    const found = tags.map((each) => attributeProblem(each, name, value, this.target));
    const [first] = found;
    if (first === undefined || found.includes(undefined)) {
      return;
    }
    const shown = tag === '*' ? `attribute ${name}` : first.name;
    this.#add(node, shown, first.problem, first.instead);
  }

  /** The name, when an expression is a free identifier. */
  #freeName(node: AnyNode): string | undefined {
    return node.type === 'Identifier' && this.#free.has(node) ? node.name : undefined;
  }

  /** Which host module an expression is: `require('fs')`, or a variable that holds it. */
  #requiredModule(node: AnyNode): string | undefined {
    if (node.type === 'CallExpression' && this.#freeName(node.callee) === 'require') {
      const name = literalOf(node.arguments[0]);
      return typeof name === 'string' ? name : undefined;
    }
    if (node.type !== 'Identifier') {
      return undefined;
    }
    for (const definition of this.#variableOf(node)?.defs ?? []) {
      const declarator = definition.node as AnyNode;
      if (
        declarator.type === 'VariableDeclarator' &&
        declarator.id.type === 'Identifier' &&
        declarator.init
      ) {
        if (declarator.init.type === 'CallExpression') {
          return this.#requiredModule(declarator.init);
        }
      }
    }
    return undefined;
  }

  #variableOf(identifier: AnyNode): Reference['resolved'] {
    this.#byIdentifier ??= new Map(
      this.#scopes.scopes
        .flatMap((scope) => scope.references)
        .map((reference) => [reference.identifier, reference.resolved]),
    );
    return this.#byIdentifier.get(identifier) ?? null;
  }
  #byIdentifier: Map<unknown, Reference['resolved']> | undefined;

  #declared(id: AnyNode): Reference['resolved'] | undefined {
    return this.#scopes.scopes
      .flatMap((scope) => scope.variables)
      .find((variable) => (variable.identifiers as readonly unknown[]).includes(id));
  }

  #add(node: AnyNode, name: string, problem: string, instead: string): void {
    const start = node.loc?.start;
    this.#problems.push({
      file: this.file,
      ...(start === undefined ? {} : { at: `${start.line}:${start.column + 1}` }),
      name,
      problem,
      instead,
    });
  }
}

function memberName(node: Extract<AnyNode, { type: 'MemberExpression' }>): string | undefined {
  if (!node.computed) {
    return node.property.type === 'Identifier' ? node.property.name : undefined;
  }
  const literal = literalOf(node.property);
  return typeof literal === 'string' ? literal : undefined;
}

function literalOf(node: AnyNode | undefined): unknown {
  if (node === undefined) {
    return undefined;
  }
  if (node.type === 'Literal') {
    return node.value;
  }
  // What a minifier makes of true and false.
  if (
    node.type === 'UnaryExpression' &&
    node.operator === '!' &&
    node.argument.type === 'Literal'
  ) {
    return node.argument.value === 0 || node.argument.value === false;
  }
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) {
    return node.quasis[0]?.value.cooked;
  }
  return undefined;
}

function keyOf(property: Extract<AnyNode, { type: 'Property' }>): string | undefined {
  if (property.computed) {
    return undefined;
  }
  if (property.key.type === 'Identifier') {
    return property.key.name;
  }
  return property.key.type === 'Literal' ? String(property.key.value) : undefined;
}

function keysOf(object: Extract<AnyNode, { type: 'ObjectExpression' }>): string[] {
  return object.properties.flatMap((property) => {
    const key = property.type === 'Property' ? keyOf(property) : undefined;
    return key === undefined ? [] : [key];
  });
}

function insteadOf(name: string, object?: string): string {
  const matches = (fact: AbsentFact): boolean =>
    fact.name === name &&
    (object === undefined || fact.object === undefined || fact.object === object);
  return (
    absent.find((fact) => matches(fact) && fact.instead !== undefined)?.instead ??
    'a small module of our own'
  );
}
