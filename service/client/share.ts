import { AnswerSheet } from './answer-sheet.js';
import { sendAnswers } from './answers.js';
import { markScripted } from './base.js';
import { playFilms } from './player.js';
import { EndlessList } from './endless.js';
import { followPlaces } from './media-places.js';
import { showFrames } from './film-frames.js';
import { followTimeLine } from './time-line.js';
import { turnPages } from './turn-pages.js';
import { stepByKeys } from './steps.js';
import { showLocalTimes } from './times.js';
import { Viewer } from './viewer.js';

/* The script of the pages that a link leads to. */
markScripted();
showLocalTimes();
sendAnswers();
turnPages();
stepByKeys();
followPlaces();
followTimeLine();
showFrames();
playFilms();

const list = new EndlessList();
list.start();
const sheet = new AnswerSheet();
new Viewer({
  loadNext: () => list.load(),
  show: (shown) => {
    sheet.show(shown);
  },
}).start();
