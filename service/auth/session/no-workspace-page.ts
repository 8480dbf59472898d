import { html } from '../../platform/html/html.js';
import { errorBox, type Page } from '../../platform/html/layout.js';
import { message } from '../../platform/i18n/message.js';
import { renderShell, type PageShell } from './page-shell.js';

/** For a person who belongs to no workspace, and therefore has nothing to see. */
export function noWorkspaceYetPage(
  section: 'photos' | 'projects' | 'shares' | 'trash' | 'people',
  frame: PageShell,
  username: string,
): Page {
  return renderShell(
    section,
    section,
    frame,
    (translator) =>
      html`<h1>${translator.t('needWorkspace')}</h1>
        ${errorBox(translator, message('noWorkspace'))}
        <p>${translator.t('askForWorkspace')} <strong>${username}</strong></p>`,
  );
}
