import { markScripted } from './base.js';

/* The script of the page that a link leads to. */
markScripted();
