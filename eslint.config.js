import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Imports point one way: panel → uploads → api → oauth → host → base; plugin.ts alone knows them all. */
const layers = ['panel', 'uploads', 'api', 'oauth', 'host', 'base'];

const layerRules = layers.map((layer, index) => ({
  files: [`src/${layer}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: `^(\\.\\./)+(${[...layers.slice(0, index), 'main', 'plugin', 'settings'].join('|')})(/|\\.js$)`,
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

/**
 * One idiom, where the language offers two. What may be missing is `null`: stored records need a value that JSON has.
 * `undefined` is left to members that may be left out, and to what the language and the host give.
 */
const idiomRules = {
  files: ['src/**/*.ts'],
  plugins: { comments: commentRules },
  rules: {
    curly: ['error', 'all'],
    'no-duplicate-imports': 'error',
    '@typescript-eslint/no-import-type-side-effects': 'error',
    '@typescript-eslint/parameter-properties': ['error', { prefer: 'parameter-property' }],
    'comments/throws-type': 'error',
    'comments/rfc-links': 'error',
    'no-restricted-syntax': [
      'error',
      { selector: 'PrivateIdentifier', message: 'Write `private`, not `#`.' },
      {
        selector: ':function > TSTypeAnnotation > TSUnionType > TSUndefinedKeyword',
        message: 'What may be missing is `null`.',
      },
    ],
  },
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
  idiomRules,
  // One idiom in the service: private members by TypeScript, members declared where they are assigned.
  {
    files: ['service/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'PrivateIdentifier', message: 'The service writes `private`.' },
      ],
      '@typescript-eslint/parameter-properties': ['error', { prefer: 'class-property' }],
      curly: ['error', 'multi-line', 'consistent'],
    },
  },
  // The host's modules come by CommonJS `require`, and only there.
  { files: ['src/host/detect.ts'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  {
    files: ['**/*.js'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
);
