import { setMembersSeeAll, type Membership } from '../../../auth/accounts/accounts.js';
import type { Queryable } from '../../../platform/database/database.js';
import { sendPage, sendRedirect } from '../../../platform/http/responses.js';
import { html, type Html } from '../../../platform/html-tag.js';
import { message } from '../../../platform/i18n/message.js';
import type { Translator } from '../../../platform/i18n/translator.js';
import { csrfField } from '../../../platform/html/form-fields.js';
import type { PageShell } from '../../../auth/session/page-shell.js';
import type { PageHandler } from '../../../auth/session/authenticated-request.js';
import { photoErrorPage } from './not-found-page.js';
import { PHOTOS } from '../../../platform/paths/photo-paths.js';

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

/** Shows who can see the photos of a workspace; owners can change it. */
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
