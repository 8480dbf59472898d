import type { CallExpression } from 'acorn';
import { absent } from '../../uxp-api/index.js';
import { allowedListeners } from '../allowed.js';
import { checkDeclarations } from '../check-style.js';
import { checkAttribute, checkElement } from './elements.js';
import { keysOf, literalOf, memberName } from './literals.js';
import type { Maker } from './makers.js';
import { checkMade } from './makers.js';
import { checkRequire } from './modules.js';
import type { Script } from './script.js';

/** Events that a host never sends, by name. */
const deadEvents = new Map(
  absent
    .filter((fact) => fact.kind === 'event' && fact.object !== 'XMLHttpRequest')
    .map((fact) => [fact.name, fact] as const),
);

/** Checks a call with literal arguments that name a module, element, attribute or event of the host. */
export function checkCall(
  script: Script,
  node: CallExpression,
  makers: ReadonlyMap<unknown, Maker>,
): void {
  const { callee } = node;
  const [first, second, third] = node.arguments.map(literalOf);
  const name = script.freeName(callee);
  if (name === 'eval' || name === 'Function') {
    script.add(node, name, 'code from strings needs a permission we do not ask for', 'a function');
  }
  if (name === 'require' && typeof first === 'string') {
    checkRequire(script, node, first);
  }
  if ((name === 'setTimeout' || name === 'setInterval') && typeof first === 'string') {
    script.add(node, name, 'code given as a string does not run', 'a function');
  }
  if (name === 'fetch') {
    checkFetchOptions(script, node);
  }
  const maker = callee.type === 'Identifier' ? makers.get(script.variableOf(callee)) : undefined;
  if (maker !== undefined) {
    checkMade(script, node, maker);
  }
  if (callee.type !== 'MemberExpression') {
    return;
  }
  const method = memberName(callee);
  const text = typeof second === 'string' ? second : undefined;
  if (method === 'createElement' && typeof first === 'string') {
    checkElement(script, node, first);
  }
  if (method === 'setAttribute' && typeof first === 'string') {
    checkSetAttribute(script, node, first, text);
  }
  if (method === 'addEventListener') {
    checkListener(script, node, first);
  }
  if (method === 'open' && third === false && typeof first === 'string' && /^[A-Z]+$/.test(first)) {
    script.add(
      node,
      'open(…, false)',
      'synchronous requests are refused',
      'an asynchronous request',
    );
  }
}

function checkSetAttribute(
  script: Script,
  node: CallExpression,
  name: string,
  value: string | undefined,
): void {
  if (name !== 'style') {
    checkAttribute(script, node, '*', name, value);
  }
  for (const found of name === 'style'
    ? checkDeclarations(script.file, value ?? '', script.target)
    : []) {
    script.add(node, found.name, found.problem, found.instead);
  }
}

function checkListener(script: Script, node: CallExpression, event: unknown): void {
  if (allowedListeners.some((entry) => entry.event === event)) {
    return;
  }
  const dead = typeof event === 'string' ? deadEvents.get(event) : undefined;
  if (dead !== undefined) {
    script.add(
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
    script.add(node, name, 'only capture is honoured', 'removeEventListener in the handler');
  }
}

function checkFetchOptions(script: Script, node: CallExpression): void {
  const [, init] = node.arguments;
  if (init?.type !== 'ObjectExpression') {
    return;
  }
  for (const key of keysOf(init)) {
    if (['method', 'headers', 'body', 'credentials'].includes(key)) {
      continue;
    }
    const fact = absent.find((entry) => entry.object === 'fetch' && entry.name === key);
    script.add(
      node,
      `fetch option ${key}`,
      'undocumented option',
      fact?.instead ?? 'XMLHttpRequest',
    );
  }
}
