import { markScripted } from './base.js';
import { copyNames } from './copy-names.js';
import { copyLinks, showLocalDays } from './links.js';
import { closeMenus } from './menus.js';
import { showOutcome } from './outcome.js';
import { keepRecoveryCodes } from './recovery-codes.js';
import { showLocalTimes } from './times.js';

/* The script of pages without pictures. */
markScripted();
showLocalTimes();
closeMenus();
copyNames();
copyLinks();
showLocalDays();
keepRecoveryCodes();
void showOutcome();
if (document.querySelector('form[data-passkey]') !== null) {
  void import('./passkeys.js').then(({ usePasskeys }) => {
    usePasskeys();
  });
}
