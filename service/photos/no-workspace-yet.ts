import { markup } from '../pages/html.js';
import { problemBox, type Page } from '../pages/layout.js';
import { sentence } from '../pages/sentence.js';
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
    (speech) =>
      markup`<h1>${speech.text('needWorkspace')}</h1>
        ${problemBox(speech, sentence('noWorkspace'))}
        <p>${speech.text('askForWorkspace')} <strong>${username}</strong></p>`,
  );
}
