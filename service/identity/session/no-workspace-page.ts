import { html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { message } from '../../kernel/i18n/message.js';
import { renderShell, type PageShell } from './page-shell.js';

/** For users without a workspace, who have nothing to see yet. */
export function noWorkspaceYetPage(
  section: 'photos' | 'projects' | 'shares' | 'trash' | 'people',
  shell: PageShell,
  username: string,
): Page {
  return renderShell(
    section,
    section,
    shell,
    (translator) =>
      html`<h1>${translator.t('needWorkspace')}</h1>
        ${errorBox(translator, message('noWorkspace'))}
        <p>${translator.t('askForWorkspace')} <strong>${verbatim(username)}</strong></p>`,
  );
}
