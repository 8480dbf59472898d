import { markScripted } from './base.js';

/* The script of pages with the photos of signed-in users. */
markScripted();
