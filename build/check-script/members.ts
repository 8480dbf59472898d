import type { AnyNode } from 'acorn';
import { absent, exists, globals, membersOf } from '../../uxp-api/index.js';
import { practised } from '../../uxp-api/practice.js';
import { allowedMembers } from '../allowed.js';
import { propertyProblem } from '../check-style.js';
import { insteadOf } from './instead.js';
import { language } from './language.js';
import { memberName } from './literals.js';
import { checkModuleMember, requiredModule } from './modules.js';
import type { Script } from './script.js';

/** Global objects whose members are checked by name, and the class or object that lists these members. */
const objects: Readonly<Record<string, string>> = {
  document: 'Document',
  navigator: 'navigator',
  crypto: 'crypto',
  console: 'console',
  localStorage: 'localStorage',
  sessionStorage: 'sessionStorage',
  path: 'path',
};

/** Member names that only the web has, so that they are reported on any object. */
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

/** Checks a member access, as far as it is known what the object is. */
export function checkMember(
  script: Script,
  node: Extract<AnyNode, { type: 'MemberExpression' }>,
  parent: AnyNode | undefined,
): void {
  const member = memberName(node);
  if (member === undefined) {
    return;
  }
  const object = script.freeName(node.object);
  if (/^aria[A-Z]/.test(member)) {
    script.add(node, member, 'aria properties are unsupported', 'visible text');
    return;
  }
  if (object !== undefined) {
    if (object === 'window' || object === 'globalThis') {
      checkWindowMember(script, node, object, member);
    } else {
      checkKnownMember(script, node, object, member);
    }
    return;
  }
  const moduleName = requiredModule(script, node.object);
  if (moduleName !== undefined) {
    checkModuleMember(script, node, moduleName, member);
  }
  const isWritten = parent?.type === 'AssignmentExpression' && parent.left === node;
  if (isWritten && node.object.type === 'MemberExpression' && memberName(node.object) === 'style') {
    checkStyleProperty(script, node, member);
    return;
  }
  const peculiar = peculiarMembers.get(member);
  if (peculiar !== undefined) {
    script.add(
      node,
      `.${member}`,
      'undocumented member',
      peculiar.instead ?? 'nothing of the kind',
    );
  }
}

function checkWindowMember(script: Script, node: AnyNode, object: string, member: string): void {
  const allowed = new Set([...membersOf('window', script.target), ...practised(), ...language]);
  const fact = globals[member];
  if (
    allowed.has(member) ||
    (fact !== undefined && fact.onlyUsed !== true && exists(fact, script.target))
  ) {
    return;
  }
  script.add(node, `${object}.${member}`, 'undocumented global', insteadOf(member, 'window'));
}

function checkKnownMember(script: Script, node: AnyNode, object: string, member: string): void {
  const shown = `${object}.${member}`;
  if (allowedMembers.some((entry) => entry.name === shown)) {
    return;
  }
  const listedBy = objects[object];
  if (listedBy !== undefined) {
    if (membersOf(listedBy, script.target).has(member) || practised(listedBy).includes(member)) {
      return;
    }
    script.add(node, shown, 'undocumented member', insteadOf(member, object));
    return;
  }
  const missing = absent.find(
    (fact) => fact.object === object && fact.name === member && fact.kind === 'static',
  );
  if (missing !== undefined && !practised(object).includes(member)) {
    script.add(node, shown, 'undocumented static member', missing.instead ?? 'nothing of the kind');
    return;
  }
  const fact = globals[object];
  if (fact?.kind !== 'class' || fact.membersUnknown === true || language.has(object)) {
    return;
  }
  const own = exists({ since: fact.staticSince }, script.target) ? (fact.static ?? []) : [];
  const known = new Set(['prototype', 'name', 'length', ...own]);
  if (!known.has(member)) {
    script.add(node, shown, 'undocumented static member', insteadOf(member, object));
  }
}

function checkStyleProperty(script: Script, node: AnyNode, member: string): void {
  if (member === 'cssText' || member === 'setProperty') {
    return;
  }
  const property = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const found = propertyProblem(property, script.target);
  if (found !== undefined) {
    script.add(node, `style.${member}`, found.problem, found.instead);
  }
}
