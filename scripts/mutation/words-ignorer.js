import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const REASON = 'a text for developers';

/** `CwError` of `new CwError(…)`. */
function calleeName({ callee }) {
  return callee.type === 'MemberExpression' ? callee.property.name : callee.name;
}

/** A sentence, and not a code or a name. */
function isSentence(node) {
  if (node.type === 'TemplateLiteral') {
    return node.quasis.some(({ value }) => value.raw.includes(' '));
  }
  return node.type === 'StringLiteral' && node.value.includes(' ');
}

function isOnlyCause(node) {
  return (
    node.type === 'ObjectExpression' &&
    node.properties.length === 1 &&
    node.properties[0].key?.name === 'cause'
  );
}

/** Leaves out the texts and causes of errors: people see the code of an error. */
export const wordsIgnorer = {
  shouldIgnore({ node, parent, listKey }) {
    const isArgument =
      (parent?.type === 'NewExpression' || parent?.type === 'CallExpression') &&
      listKey === 'arguments';
    if (!isArgument || !/Error$/.test(calleeName(parent) ?? '')) return undefined;
    return isSentence(node) || isOnlyCause(node) ? REASON : undefined;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'words', wordsIgnorer)];
