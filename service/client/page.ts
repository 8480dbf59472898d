import { markScripted } from './base.js';
import { copyLinks, showLocalDays } from './links.js';
import { closeMenus } from './menus.js';
import { showLocalTimes } from './times.js';

/* The script of pages without pictures. */
markScripted();
showLocalTimes();
closeMenus();
copyLinks();
showLocalDays();
