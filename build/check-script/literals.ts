import type { AnyNode } from 'acorn';

/** The name of a member, if it is written out: `a.name`, `a['name']`. */
export function memberName(
  node: Extract<AnyNode, { type: 'MemberExpression' }>,
): string | undefined {
  if (!node.computed) {
    return node.property.type === 'Identifier' ? node.property.name : undefined;
  }
  const literal = literalOf(node.property);
  return typeof literal === 'string' ? literal : undefined;
}

/** The value of a literal, or of what a minifier writes instead of one; undefined for anything else. */
export function literalOf(node: AnyNode | undefined): unknown {
  if (node === undefined) {
    return undefined;
  }
  if (node.type === 'Literal') {
    return node.value;
  }
  // A minifier writes true and false as !0 and !1.
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

/** The key of a property of an object literal; undefined when it is computed. */
export function keyOf(property: Extract<AnyNode, { type: 'Property' }>): string | undefined {
  if (property.computed) {
    return undefined;
  }
  if (property.key.type === 'Identifier') {
    return property.key.name;
  }
  return property.key.type === 'Literal' ? String(property.key.value) : undefined;
}

/** The keys of an object literal, without computed keys and spread objects. */
export function keysOf(object: Extract<AnyNode, { type: 'ObjectExpression' }>): string[] {
  return object.properties.flatMap((property) => {
    const key = property.type === 'Property' ? keyOf(property) : undefined;
    return key === undefined ? [] : [key];
  });
}
