import type { AnyNode, CallExpression } from 'acorn';
import { exists, globals, modules } from '../../uxp-api/index.js';
import { literalOf } from './literals.js';
import type { Script } from './script.js';

/** The modules of the creative apps; each app has only its own. */
const appModules: readonly string[] = ['photoshop', 'indesign', 'premierepro'];

/** The name of the host module that an expression is: `require('fs')`, or a variable that holds it. */
export function requiredModule(script: Script, node: AnyNode): string | undefined {
  if (node.type === 'CallExpression' && script.freeName(node.callee) === 'require') {
    const name = literalOf(node.arguments[0]);
    return typeof name === 'string' ? name : undefined;
  }
  if (node.type !== 'Identifier') {
    return undefined;
  }
  for (const definition of script.variableOf(node)?.defs ?? []) {
    const declarator = definition.node as AnyNode;
    if (
      declarator.type === 'VariableDeclarator' &&
      declarator.id.type === 'Identifier' &&
      declarator.init
    ) {
      if (declarator.init.type === 'CallExpression') {
        return requiredModule(script, declarator.init);
      }
    }
  }
  return undefined;
}

/** Reports a `require` of something that is neither a module of the host nor a file of the bundle. */
export function checkRequire(script: Script, node: CallExpression, module: string): void {
  if (globals['require'] === undefined || /^\.\.?\//.test(module)) {
    return;
  }
  if (!['uxp', 'fs', 'os', ...appModules].includes(module)) {
    const instead = 'uxp, fs, os or the host module';
    script.add(node, `require('${module}')`, 'not a module of the host', instead);
  }
}

/** Reports a member that the oldest host does not document for this module. */
export function checkModuleMember(
  script: Script,
  node: AnyNode,
  module: string,
  member: string,
): void {
  const own = modules.members[module];
  const inside = Object.keys(modules.members).filter((name) => name.startsWith(`${module}.`));
  const known = new Set([...(own ?? []), ...inside.map((name) => name.split('.')[1] ?? '')]);
  const since = modules.since[`${module}.${member}`];
  // The lists of the apps' own modules are incomplete or empty.
  if (appModules.includes(module) || (known.has(member) && exists({ since }, script.target))) {
    return;
  }
  script.add(
    node,
    `require('${module}').${member}`,
    'undocumented member',
    `one of ${[...known].join(', ')}`,
  );
}
