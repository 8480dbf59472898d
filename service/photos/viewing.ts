import { setMembersSeeAll, type Membership } from '../accounts/accounts.js';
import type { Queryable } from '../database/database.js';
import { sendPage, sendRedirect } from '../http/responses.js';
import { html, type Html } from '../pages/html.js';
import { message } from '../pages/message.js';
import type { Translator } from '../pages/translator.js';
import { csrfField } from '../visits/form-fields.js';
import type { PageShell } from '../visits/frame.js';
import type { PageHandler } from '../visits/authenticated-request.js';
import { photoErrorPage } from './no-photo.js';
import { PHOTOS } from './paths.js';

export interface VisibilityDeps {
  readonly database: Queryable;
}

/** Lets an owner choose whether all members of a workspace see all of its photos. */
export function visibilitySetting({ database }: VisibilityDeps): PageHandler {
  return async (context) => {
    const { response, form, memberships } = context;
    const id = form?.get('workspace');
    const workspace = memberships.find((one) => one.id === id && one.role === 'owner');
    const choice = form?.get('members') ?? '';
    if (workspace === undefined || !['all', 'own'].includes(choice)) {
      sendPage(context, 403, photoErrorPage(message('onlyOwnersOpen')));
      return;
    }
    await setMembersSeeAll(database, workspace.id, choice === 'all');
    const query = new URLSearchParams({ workspace: workspace.id, done: 'saved' });
    sendRedirect(response, `${PHOTOS.root}?${query.toString()}`);
  };
}

/** Says who sees the photos of a workspace; lets its owners change that. */
export function visibilityForm(
  translator: Translator,
  frame: PageShell,
  workspace: Membership,
): Html {
  const { id, role, membersSeeAll } = workspace;
  const text = translator.t(membersSeeAll ? 'allMembersSee' : 'membersSeeOwn');
  if (role !== 'owner') {
    return html`<p class="small soft">${text}</p>`;
  }
  return html`<form method="post" action="${PHOTOS.viewing}">
    ${csrfField(frame)}
    <input type="hidden" name="workspace" value="${id}" />
    <p class="small soft">${text}</p>
    <button
      type="submit"
      name="members"
      value="${membersSeeAll ? 'own' : 'all'}"
      class="quiet small"
    >
      ${translator.t(membersSeeAll ? 'closeViewing' : 'openViewing')}
    </button>
  </form>`;
}
