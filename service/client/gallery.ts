import { Arrivals } from './arrivals.js';
import { markScripted } from './base.js';
import { EndlessList } from './endless.js';
import { closeMenus } from './menus.js';
import { PHOTOS_CHANGED } from './photo-pages.js';
import { searchWhileTyping } from './search.js';
import { showLocalTimes } from './times.js';

/* The script of pages with the photos of signed-in users. */
markScripted();
showLocalTimes();
closeMenus();

const list = new EndlessList();
list.start();
searchWhileTyping(list);

const arrivals = new Arrivals();
arrivals.start();
document.addEventListener(PHOTOS_CHANGED, () => {
  arrivals.plan();
});
