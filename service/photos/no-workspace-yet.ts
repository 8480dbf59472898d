import { markup } from '../pages/html.js';
import { problemBox, type Page } from '../pages/layout.js';
import { message } from '../pages/message.js';
import { framedPage, type Frame } from '../visits/frame.js';

/** For a person who belongs to no workspace, and therefore has nothing to see. */
export function noWorkspaceYetPage(
  section: 'photos' | 'projects' | 'shares' | 'trash' | 'people',
  frame: Frame,
  username: string,
): Page {
  return framedPage(
    section,
    section,
    frame,
    (translator) =>
      markup`<h1>${translator.t('needWorkspace')}</h1>
        ${problemBox(translator, message('noWorkspace'))}
        <p>${translator.t('askForWorkspace')} <strong>${username}</strong></p>`,
  );
}
