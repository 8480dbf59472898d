/** A process that starts a browser, tells the browser's process id, and lives on: for the test that kills it. */
import { launchBrowser } from './browser.js';

const browser = await launchBrowser();
await browser.newPage();
process.send?.(browser.process()?.pid);
setInterval(() => undefined, 1000);
