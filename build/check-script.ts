import type { Program } from 'acorn';
import { parse } from 'acorn';
import type { Target } from '../uxp-api/index.js';
import { checkCall } from './check-script/calls.js';
import { checkAttribute } from './check-script/elements.js';
import { keyOf } from './check-script/literals.js';
import { findMakers } from './check-script/makers.js';
import { checkMember } from './check-script/members.js';
import { checkNames, checkNew } from './check-script/names.js';
import { Script } from './check-script/script.js';
import type { Problem } from './problem.js';

/**
 * Checks one script of the bundle: its syntax, its free names, members whose object is known, and elements it makes.
 * @param file the name for the problems
 * @param source the text of the script
 */
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
  return checkProgram(new Script(file, program, target));
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

function checkProgram(script: Script): Problem[] {
  checkNames(script);
  const makers = findMakers(script);
  for (const { node, parents } of script.nodes) {
    if (node.type === 'NewExpression') {
      checkNew(script, node, node.callee);
    } else if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
      if (node.superClass) {
        checkNew(script, node, node.superClass);
      }
    } else if (node.type === 'MemberExpression') {
      checkMember(script, node, parents.at(-1));
    } else if (node.type === 'CallExpression') {
      checkCall(script, node, makers);
    } else if (node.type === 'ImportExpression') {
      script.add(node, 'import()', 'a host has no dynamic import', 'one bundle');
    } else if (node.type === 'Property') {
      const key = keyOf(node);
      if (key?.startsWith('aria-') === true) {
        checkAttribute(script, node, '*', key, undefined);
      }
    }
  }
  return script.problems;
}
