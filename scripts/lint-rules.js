/**
 * The project's own lint rules, a plugin of oxlint (`.oxlintrc.json`): where imports may point, and how comments and types
 * are written. oxlint runs ESLint's plugin interface.
 */
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

/**
 * A file imports from its own layer and from layers to the right of it. Files beside these folders (`main.ts`, `cli.ts`)
 * import from all of them, and no layer imports them.
 */
const LAYERS = {
  src: ['panel', 'features', 'ui', 'account', 'api', 'oauth', 'host', 'util'],
  service: ['app', 'workspace', 'delivery', 'library', 'oauth', 'identity', 'site', 'kernel'],
  packages: ['image-metadata', 'utf8'],
};

/** Layers that others import only through their `index.ts`. */
const MODULES = new Set(['identity', 'oauth', 'library', 'delivery', 'workspace']);

/** The folders in these layers are features. */
const FEATURES = new Set(['features', 'library', 'delivery', 'workspace']);

/** A feature of `src` imports only features to the right of it, so no two import each other. */
export const FEATURE_ORDER = [
  'reports',
  'on-save',
  'folder',
  'feedback',
  'placed-files',
  'library',
  'placing',
  'selects',
  'documents',
  'uploads',
  'pictures',
  'duplicates',
  'presets',
  'import',
  'history',
  'receipts',
  'destinations',
  'links',
  'sign-in',
  'queue',
  'device',
];

/** The only imports from outside a tree. `src` and `packages` are part of the bundle, so they must not import Node. */
const FROM_OUTSIDE = {
  src: ['packages/image-metadata/index', 'packages/utf8/index'],
  service: [
    'scripts/node-version',
    'packages/image-metadata/index',
    'packages/image-metadata/kinds',
    'packages/image-metadata/patches',
  ],
  packages: [],
};

/** The layer, and the feature in it, of a path below the project; without a layer for files next to the folders. */
function placeOf(file) {
  const [tree, layer, feature] = file.split('/');
  const order = LAYERS[tree];
  if (order === undefined) return undefined;
  const isFolder = file.split('/').length > 2;
  return { tree, order, layer: isFolder ? layer : undefined, feature };
}

/** The problem of an import, if any. `file` and `target` are paths below the project. */
export function importProblem(file, target) {
  const from = placeOf(file);
  const to = placeOf(target);
  if (from === undefined) return undefined;
  if (to?.tree !== from.tree) {
    const isAllowed = FROM_OUTSIDE[from.tree].includes(target.replace(/\.[jt]s$/, ''));
    return isAllowed ? undefined : `${from.tree}/ imports nothing from outside itself.`;
  }
  if (to.layer === 'features') {
    const isOwn = from.layer === 'features' && from.feature === to.feature;
    if (!isOwn && !DOOR.test(target)) return DOOR_ONLY;
    if (from.layer === 'features' && !isOwn && !isBelow(from.feature, to.feature))
      return `${from.feature} does not import ${to.feature}: see FEATURE_ORDER.`;
  }
  if (from.layer === undefined) return undefined;
  // The scripts of pages run in browsers, apart from the service.
  if (from.layer === 'client' || to.layer === 'client')
    return from.layer === to.layer
      ? undefined
      : 'service/client/ and the service do not import each other.';
  // Data, such as the words of a language.
  if (target.endsWith('.json') || to.layer === 'locales') return undefined;
  const { order, layer } = from;
  const below = order.slice(order.indexOf(layer));
  if (to.layer === undefined || !below.includes(to.layer))
    return `${from.tree}/${layer} imports only from ${below.join(', ')}.`;
  if (from.tree === 'service' && MODULES.has(to.layer) && to.layer !== layer)
    return /^[^/]+\/[^/]+\/index\.[jt]s$/.test(target)
      ? undefined
      : `service/${to.layer} is imported only through its index.ts.`;
  // Files beside the features of a module, such as its `index.ts`, join them.
  const isOtherFeature =
    FEATURES.has(layer) &&
    to.layer === layer &&
    to.feature !== from.feature &&
    !from.feature.endsWith('.ts');
  return isOtherFeature && !DOOR.test(target) ? DOOR_ONLY : undefined;
}

const DOOR = /^(?:[^/]+\/){3}index\.[jt]s$/;
const DOOR_ONLY = 'A feature is imported only through its index.ts.';

function isBelow(feature, other) {
  return FEATURE_ORDER.indexOf(other) > FEATURE_ORDER.indexOf(feature);
}

const layers = (context) => {
  const file = path.relative(ROOT, context.filename).replaceAll(path.sep, '/');
  const check = ({ source }) => {
    if (source === null || source === undefined || typeof source.value !== 'string') return;
    const name = source.value;
    const message = name.startsWith('.')
      ? importProblem(file, path.posix.join(path.posix.dirname(file), name))
      : /^(?:src|packages)\//.test(file) && name.startsWith('node:')
        ? 'It ships in the bundle, where there is no Node.'
        : undefined;
    if (message !== undefined) context.report({ node: source, message });
  };
  return {
    ImportDeclaration: check,
    ImportExpression: check,
    ExportNamedDeclaration: check,
    ExportAllDeclaration: check,
    // import('./a.js').A as a type
    TSImportType: check,
  };
};

/** Sections of RFCs in documentation comments are links. */
const rfcLinks = (context) => ({
  Program() {
    for (const comment of context.sourceCode.getAllComments())
      if (comment.value.startsWith('*') && /(?<!\[)RFC \d+/.test(comment.value))
        context.report({
          loc: comment.loc,
          message:
            'Write a link: [RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5).',
        });
  },
});

/** A function that may find nothing returns `null` in `src/` and `packages/` and `undefined` in `service/`. */
const missingValue = (context) => {
  const [refused, word] = path.relative(ROOT, context.filename).match(/^(?:src|packages)/)
    ? ['TSUndefinedKeyword', 'null']
    : ['TSNullKeyword', 'undefined'];
  return {
    [`:function > TSTypeAnnotation > TSUnionType > ${refused}`](node) {
      context.report({ node, message: `A missing value is \`${word}\` here.` });
    },
  };
};

const noHashPrivate = (context) => ({
  PrivateIdentifier(node) {
    context.report({ node, message: 'Write `private`, not `#`.' });
  },
});

export default {
  meta: { name: 'project' },
  rules: {
    layers: { create: layers },
    'rfc-links': { create: rfcLinks },
    'missing-value': { create: missingValue },
    'no-hash-private': { create: noHashPrivate },
  },
};
