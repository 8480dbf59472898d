import { markScripted } from './base.js';
import { showLocalTimes } from './times.js';

/* The script of the page that a link leads to. */
markScripted();
showLocalTimes();
