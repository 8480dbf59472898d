import { sendAnswers } from './answers.js';
import { markScripted } from './base.js';
import { EndlessList } from './endless.js';
import { showLocalTimes } from './times.js';

/* The script of the pages that a link leads to. */
markScripted();
showLocalTimes();
new EndlessList().start();
sendAnswers();
