/** A process that starts a browser, prints the browser's process id, and stays alive until the test kills it. */
import { launchBrowser } from './browser.js';

const browser = await launchBrowser();
await browser.newPage();
process.send?.(browser.process()?.pid);
setInterval(() => undefined, 1000);
