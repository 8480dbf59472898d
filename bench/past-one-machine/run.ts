/** `npm run growth-model`: prints the tables of docs/growth.md. `-- --write` puts them there; `-- --measure` measures rows. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format } from 'oxfmt';
import { parse } from 'valibot';

import { OPTIONS } from '../../service/option-schemas.js';
import { MACHINES, usualAssumptions } from './assumptions.js';
import { tablesOf } from './tables.js';

const PAGE = join(import.meta.dirname, '../../docs/growth.md');
const MADE = /(?<=<!-- npm run growth-model -- --write -->\n)[^]*(?=<!-- end -->)/;

const { values } = parseArgs({
  options: { write: { type: 'boolean' }, measure: { type: 'boolean' } },
});
if (values.measure === true) {
  const { measure } = await import('./measure.js');
  await measure();
} else {
  const { lifetimes } = parse(OPTIONS, { dataDir: '.' });
  const tables = tablesOf(usualAssumptions(lifetimes), MACHINES);
  console.log(tables);
  if (values.write === true) {
    const page = readFileSync(PAGE, 'utf8').replace(MADE, () => `\n${tables}`);
    writeFileSync(PAGE, (await format(PAGE, page)).code);
  }
}
// The service's timers must not keep the process.
process.exit();
