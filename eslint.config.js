import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Imports point one way: panel → uploads → api → oauth → host → base; main.ts alone knows them all. */
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
  // The host's modules come by CommonJS `require`, and only there.
  { files: ['src/host/detect.ts'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  {
    files: ['**/*.js'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
);
