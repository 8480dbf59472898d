/**
 * `npm run generate`: writes what documents repeat from the code. `test/docs/generated.test.ts` fails when they differ.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withRequests } from './api-requests.js';
import { dataModel } from './data-model.js';
import { eventList } from './events.js';
import { routeList } from './routes.js';
import { updatedGuide } from './support-guide.js';

/** The generated pages of `docs/`, each from its present text. */
const PAGES: Readonly<Record<string, (page: string) => string>> = {
  'data-model.md': dataModel,
  'events.md': eventList,
  'http-api.md': withRequests,
  'routes.md': routeList,
  'support.md': updatedGuide,
};

/** Each generated page as it is and as it should be. */
export function generatedPages(): readonly {
  readonly path: string;
  readonly present: string;
  readonly wanted: string;
}[] {
  return Object.entries(PAGES).map(([name, write]) => {
    const path = join(import.meta.dirname, '../docs', name);
    const present = readFileSync(path, 'utf8');
    return { path, present, wanted: write(present) };
  });
}

if (process.argv[1] === import.meta.filename) {
  for (const { path, wanted } of generatedPages()) {
    writeFileSync(path, wanted);
  }
}
