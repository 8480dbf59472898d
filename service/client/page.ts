import { markScripted } from './base.js';
import { copyNames } from './copy-names.js';
import { copyLinks, showLocalDays } from './links.js';
import { closeMenus } from './menus.js';
import { showLocalTimes } from './times.js';

/* The script of pages without pictures. */
markScripted();
showLocalTimes();
closeMenus();
copyNames();
copyLinks();
showLocalDays();
