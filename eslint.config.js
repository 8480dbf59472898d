import tseslint from 'typescript-eslint';

// What this project asks of itself and no linter brings: where imports may point, and how comments and types are written.
// All other rules, those with types too, are in .oxlintrc.json. `npm run check:lint` runs both.

/**
 * Imports point one way: panel → uploads → api → oauth → host → base. Files beside these folders may import from all of
 * them: main.ts, plugin.ts, which builds the parts, intents.ts, which passes on what is asked of them, and settings.ts,
 * whose values the build sets.
 */
const layers = ['panel', 'uploads', 'api', 'oauth', 'host', 'base'];

const layerRules = layers.map((layer, index) => ({
  files: [`src/${layer}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(\\.\\./)+(${[...layers.slice(0, index), 'main', 'plugin', 'intents', 'settings'].join('|')})(/|\\.js$)`,
            message: `src/${layer} may import only from layers below it: ${layers.slice(index + 1).join(', ') || 'none'}.`,
          },
          {
            regex: '(^node:)|(/(service|preview|test|bench|scripts)/)',
            message: 'src ships in the bundle: no Node, service or test code.',
          },
        ],
      },
    ],
  },
}));

/** The parts of the service that answer people and programs. */
const serviceParts =
  'accounts|content|me|oauth|people|photos|projects|settings|shares|thumbnails|uploads|visits';

/** What these parts stand on knows nothing of them but the paths at which they answer. */
const serviceRules = {
  files: ['service/{database,http,limits,metrics}/**/*.ts', 'service/{errors,flush,hash,log}.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^\\.\\.?/(${serviceParts})/(?!(paths|routes|upload-address)\\.js$)`,
            message: 'The parts of the service build on this folder, so it imports none of them.',
          },
        ],
      },
    ],
  },
};

/** Comments as the house writes them: `@throws {Type}`, and sections of RFCs as links. */
const commentRules = {
  rules: {
    'throws-type': {
      meta: { type: 'suggestion', messages: { type: 'Write the type: @throws {CwError} …' } },
      create: (context) => ({
        Program() {
          for (const comment of context.sourceCode.getAllComments())
            if (/@throws(?! \{\w+\})/.test(comment.value))
              context.report({ loc: comment.loc, messageId: 'type' });
        },
      }),
    },
    'rfc-links': {
      meta: {
        type: 'suggestion',
        messages: {
          link: 'Write a link: [RFC 8628 §3.5](https://www.rfc-editor.org/rfc/rfc8628#section-3.5).',
        },
      },
      create: (context) => ({
        Program() {
          for (const comment of context.sourceCode.getAllComments())
            if (comment.value.startsWith('*') && /(?<!\[)RFC \d+/.test(comment.value))
              context.report({ loc: comment.loc, messageId: 'link' });
        },
      }),
    },
  },
};

const noPrivateNames = { selector: 'PrivateIdentifier', message: 'Write `private`, not `#`.' };

/** Comments in what runs in the app and what runs at the service. */
const idiomRules = {
  files: ['src/**/*.ts', 'service/**/*.ts'],
  plugins: { comments: commentRules },
  rules: { 'comments/throws-type': 'error', 'comments/rfc-links': 'error' },
};

/** What a function may not find is `null` in `src/`, `undefined` at the service: see docs/architecture.md. */
const missingRules = [
  ['src', 'null', 'TSUndefinedKeyword'],
  ['service', 'undefined', 'TSNullKeyword'],
].map(([folder, word, refused]) => ({
  files: [`${folder}/**/*.ts`],
  rules: {
    'no-restricted-syntax': [
      'error',
      noPrivateNames,
      {
        selector: `:function > TSTypeAnnotation > TSUnionType > ${refused}`,
        message: `What may be missing is \`${word}\`.`,
      },
    ],
  },
}));

/** Rules with types that oxlint does not have: `npm run lint:rest`, for they take several times as long as all others. */
const restRules = {
  files: ['**/*.ts'],
  plugins: { '@typescript-eslint': tseslint.plugin },
  languageOptions: {
    parserOptions: {
      project: ['./tsconfig.src.json', './tsconfig.json'],
      tsconfigRootDir: import.meta.dirname,
    },
  },
  rules: {
    '@typescript-eslint/no-unsafe-class-instance-assignment': 'error',
    '@typescript-eslint/no-unsafe-enum-assignment': 'error',
  },
};

export default [
  { ignores: ['dist/', 'packages/', 'data/', 'coverage/', 'node_modules/', '.cache/'] },
  { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser } },
  ...layerRules,
  serviceRules,
  idiomRules,
  ...missingRules,
  ...(process.env.LINT_REST === 'true' ? [restRules] : []),
];
