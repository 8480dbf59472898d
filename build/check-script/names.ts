import type { AnyNode, Expression, Super } from 'acorn';
import { absent, exists, globals } from '../../uxp-api/index.js';
import { practised } from '../../uxp-api/practice.js';
import { allowedGlobals } from '../allowed.js';
import { insteadOf } from './instead.js';
import { language } from './language.js';
import type { Script } from './script.js';

/** Checks the names that the script does not declare: each must belong to the language or to the oldest host. */
export function checkNames(script: Script): void {
  const typeofOperands = script.nodes.flatMap(({ node }) =>
    node.type === 'UnaryExpression' && node.operator === 'typeof' ? [node.argument] : [],
  );
  const asking = new Set<unknown>(typeofOperands);
  const asked = new Set(typeofOperands.map((operand) => script.freeName(operand)));
  const seen = new Set<string>();
  for (const reference of script.freeReferences) {
    const node = reference.identifier as unknown as AnyNode;
    const name = reference.identifier.name;
    if (seen.has(name) || language.has(name)) {
      continue;
    }
    const fact = globals[name];
    const isUsable =
      practised().includes(name) ||
      name === 'exports' ||
      (fact !== undefined && fact.onlyUsed !== true && exists(fact, script.target));
    if (isUsable) {
      continue;
    }
    // A `typeof` does no harm; to be used afterwards, the name must be in the list of allowed names.
    if (asking.has(node)) {
      continue;
    }
    const allowed = allowedGlobals.find((entry) => entry.name === name);
    if (allowed?.how === 'unreached') {
      continue;
    }
    if (allowed?.how === 'guarded' && asked.has(name)) {
      continue;
    }
    seen.add(name);
    if (fact !== undefined && fact.onlyUsed !== true) {
      const why =
        fact.since === undefined ? 'behind a feature flag' : `documented from UXP ${fact.since} on`;
      script.add(
        node,
        name,
        `${why}, the oldest host has ${script.target.uxpVersion}`,
        insteadOf(name),
      );
    } else {
      script.add(node, name, 'undocumented global', insteadOf(name));
    }
  }
}

/** Checks a class that is constructed or extended: its name may be documented, but not its constructor. */
export function checkNew(script: Script, node: AnyNode, callee: Expression | Super): void {
  const name = script.freeName(callee);
  if (name === undefined) {
    return;
  }
  const shown = `new ${name}`;
  if (name === 'Function') {
    script.add(node, shown, 'code from strings needs a permission we do not ask for', 'a function');
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
  script.add(node, shown, 'the constructor is undocumented', fact.instead ?? 'nothing of the kind');
}
