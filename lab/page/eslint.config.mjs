// The page's lint rules: typescript-eslint's strict, type-aware set, plus our size limits.
// @ts-check
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores(['dist/', 'node_modules/']),
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: dirname(fileURLToPath(import.meta.url)),
      },
    },
    rules: {
      'max-lines': ['error', 250],
      'max-lines-per-function': ['error', 60],
      // tsc checks every name, also in .mjs files.
      'no-undef': 'off',
      'eqeqeq': 'error',
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'Results are untrusted text: build nodes with dom.ts.' },
        { property: 'outerHTML', message: 'Results are untrusted text: build nodes with dom.ts.' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // The runner awaits the promises that node:test returns.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', name: ['test', 'describe'], package: 'node:test' },
          ],
        },
      ],
    },
  },
  { files: ['test/**'], rules: { 'max-lines-per-function': 'off' } },
);
