import type { CallExpression } from 'acorn';
import { checkAttribute, checkElement } from './elements.js';
import { keyOf, literalOf, memberName } from './literals.js';
import type { Script } from './script.js';

/** A function of ours that makes elements. */
export interface Maker {
  /** Which of its arguments is the tag, counted from 0. */
  readonly tagIndex: number;
}

/** The functions that pass one of their parameters to createElement, by the variable that names them. */
export function findMakers(script: Script): Map<unknown, Maker> {
  const makers = new Map<unknown, Maker>();
  for (const { node, parents } of script.nodes) {
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
      const variable = id?.type === 'Identifier' ? script.declared(id) : undefined;
      if (variable !== undefined) {
        makers.set(variable, { tagIndex });
      }
    }
  }
  return makers;
}

/** Checks a call of such a function: the element that it names, and the attributes that it gives as an object. */
export function checkMade(script: Script, node: CallExpression, { tagIndex }: Maker): void {
  const tag = literalOf(node.arguments[tagIndex]);
  if (typeof tag !== 'string') {
    return;
  }
  checkElement(script, node, tag);
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
        checkAttribute(script, node, tag, name, typeof value === 'string' ? value : undefined);
      }
    }
  }
}
