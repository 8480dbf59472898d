/**
 * `npx tsx scripts/words.ts`: writes docs/words.md, the words of panel and pages in all languages side by side, so that
 * support finds what a customer reads out and can name a button in the customer's language.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { wordsPage } from './words/words-page.js';

await writeFile(join(import.meta.dirname, '..', 'docs', 'words.md'), wordsPage());
