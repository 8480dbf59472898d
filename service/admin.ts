import '../scripts/node-version.js';
import { loadQuietly } from './load.js';

await loadQuietly(() => import('./admin-program.js'));
