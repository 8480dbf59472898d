import { markScripted } from './base.js';
import { enableSelection } from './selection.js';

/* The script of pages with the photos of signed-in users. */
markScripted();
enableSelection();
