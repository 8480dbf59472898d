import js from '@eslint/js';
import tseslint from 'typescript-eslint';

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
  'accounts|me|oauth|people|photos|projects|settings|shares|thumbnails|uploads|visits';

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

/** One idiom in what runs in the app and what runs at the service, where the language offers two. */
const idiomRules = {
  files: ['src/**/*.ts', 'service/**/*.ts'],
  plugins: { comments: commentRules },
  rules: {
    'no-duplicate-imports': 'error',
    '@typescript-eslint/no-import-type-side-effects': 'error',
    '@typescript-eslint/parameter-properties': ['error', { prefer: 'parameter-property' }],
    'comments/throws-type': 'error',
    'comments/rfc-links': 'error',
  },
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

/**
 * A room has one job. What is one table or one closure stays together, and says so where it is. Pages of the service have
 * their markup in one piece.
 */
const sizeRules = [
  ['{src,build,preview,scripts}', 50],
  ['service', 60],
].map(([folders, max]) => ({
  files: [`${folders}/**/*.ts`],
  rules: {
    'max-lines-per-function': ['error', { max, skipBlankLines: true, skipComments: true }],
    'max-lines': ['error', 400],
  },
}));

/** Tests alone may leave braces out. */
const braceRules = {
  files: ['{src,service,build,preview,scripts,bench}/**/*.ts'],
  rules: { curly: ['error', 'all'] },
};

export default tseslint.config(
  { ignores: ['dist/', 'packages/', 'data/', 'coverage/', 'node_modules/', '.cache/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.src.json', './tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
    },
  },
  ...layerRules,
  serviceRules,
  idiomRules,
  ...missingRules,
  braceRules,
  ...sizeRules,
  // The host's modules come by CommonJS `require`, and only there.
  { files: ['src/host/detect.ts'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  {
    files: ['**/*.js'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
);
