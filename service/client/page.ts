import { markScripted } from './base.js';

/* The script of pages without pictures. */
markScripted();
