import { Arrivals } from './arrivals.js';
import { markScripted } from './base.js';
import { EndlessList } from './endless.js';
import { compareVersions } from './compare.js';
import { closeMenus } from './menus.js';
import { playFilms } from './player.js';
import { whenPhotosChange } from './photo-pages.js';
import { enableSelection } from './selection.js';
import { Uploads } from './uploads.js';
import { searchWhileTyping } from './search.js';
import { followPlaces } from './media-places.js';
import { showFrames } from './film-frames.js';
import { followTimeLine } from './time-line.js';
import { turnPages } from './turn-pages.js';
import { stepByKeys } from './steps.js';
import { showLocalTimes } from './times.js';
import { Viewer } from './viewer.js';

/* The script of pages with the photos of signed-in users. */
markScripted();
showLocalTimes();
closeMenus();
enableSelection();
turnPages();
stepByKeys();
followPlaces();
followTimeLine();
showFrames();
compareVersions();
playFilms();

const list = new EndlessList();
list.start();
new Uploads(() => {
  list.reset();
}).start();
searchWhileTyping(list);
new Viewer({ loadNext: () => list.load() }).start();

const arrivals = new Arrivals();
arrivals.start();
whenPhotosChange((added) => {
  arrivals.changed(added);
});
