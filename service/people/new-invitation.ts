import type { Membership, Role } from '../accounts/accounts.js';
import { INVITATION_DAYS, MAX_INVITATIONS, type Invitations } from '../accounts/invitations.js';
import { sendPage, sendRedirect } from '../http/responses.js';
import { markup } from '../pages/html.js';
import { problemBox, type Page } from '../pages/layout.js';
import { settingsProblemPage } from '../pages/outcome.js';
import { sentence, type Sentence } from '../pages/sentence.js';
import { csrfField, selected } from '../visits/form-fields.js';
import { framedPage, type Frame } from '../visits/frame.js';
import type { Visit, VisitHandler } from '../visits/visit.js';
import type { Audit } from './audit.js';
import { roleField } from './member-page.js';
import { linkTo, PEOPLE, peopleOf } from './paths.js';

export interface NewInvitationParts {
  readonly invitations: Invitations;
  readonly audit: Audit;
  readonly baseUrl: string;
}

/** What is chosen in the form. */
interface Chosen {
  readonly workspaceId: string;
  readonly role: Role;
}

/** Shows the form to invite somebody to a workspace that the person owns, and makes the link, which is shown once. */
export function newInvitation(parts: NewInvitationParts): VisitHandler {
  return async (visit) => {
    const { response, form, query, memberships, frame } = visit;
    const owned = memberships.filter(({ role }) => role === 'owner');
    if (owned.length === 0) {
      sendPage(response, 403, settingsProblemPage(sentence('onlyOwnersManage')));
      return;
    }
    const chosen: Chosen = {
      workspaceId: (form ?? query).get('workspace') ?? '',
      role: form?.get('role') === 'owner' ? 'owner' : 'member',
    };
    const made = form === undefined ? undefined : await make(parts, visit, owned, chosen, form);
    if (made !== undefined && 'link' in made) {
      sendPage(response, 201, linkPage(frame, made.link, chosen.workspaceId));
      return;
    }
    const page = formPage(frame, { owned, chosen, problem: made });
    sendPage(response, made === undefined ? 200 : 400, page);
  };
}

/** Revokes an invitation. */
export function revokeInvitation({ invitations, audit }: NewInvitationParts): VisitHandler {
  return async ({ response, form, account, memberships }) => {
    const workspace = memberships.find(
      ({ id, role }) => id === form?.get('workspace') && role === 'owner',
    );
    if (workspace === undefined) {
      sendPage(response, 403, settingsProblemPage(sentence('onlyOwnersManage')));
      return;
    }
    const invitation = form?.get('invitation') ?? '';
    if (await invitations.revoke(workspace.id, invitation)) {
      audit(response, 'invitation_revoked', {
        by: account.id,
        workspace: workspace.id,
        invitation,
      });
    }
    sendRedirect(response, peopleOf(workspace.id, 'invitationRevoked'));
  };
}

async function make(
  { invitations, audit, baseUrl }: NewInvitationParts,
  { response, account }: Visit,
  owned: readonly Membership[],
  { workspaceId, role }: Chosen,
  form: URLSearchParams,
): Promise<{ link: string } | Sentence> {
  if (!owned.some(({ id }) => id === workspaceId)) {
    return sentence('chooseAWorkspace');
  }
  if (form.get('role') !== role) {
    return sentence('chooseRole');
  }
  const made = await invitations.create({ workspaceId, role, invitedBy: account.id });
  if (typeof made === 'string') {
    return made === 'too many'
      ? sentence('tooManyInvitations', { max: MAX_INVITATIONS })
      : sentence('onlyOwnersManage');
  }
  const noted = { by: account.id, workspace: workspaceId, role, invitation: made.id };
  audit(response, 'invited', noted);
  return { link: linkTo(baseUrl, PEOPLE.invitation, made.token) };
}

function formPage(
  frame: Frame,
  about: { owned: readonly Membership[]; chosen: Chosen; problem: Sentence | undefined },
): Page {
  const { owned, chosen } = about;
  return framedPage(
    'inviteSomebody',
    'people',
    frame,
    (speech) =>
      markup`<h1>${speech.text('inviteSomebody')}</h1>
        <p>
          ${speech.text('inviteText', { time: { amount: INVITATION_DAYS, unit: 'day' } })}
        </p>
        ${problemBox(speech, about.problem)}
        <form method="post" action="${PEOPLE.newInvitation}">
          ${csrfField(frame)}
          <label for="workspace">${speech.text('workspace')}</label>
          <select id="workspace" name="workspace">
            ${owned.map(
              ({ id, name }) =>
                markup`<option value="${id}"${selected(id === chosen.workspaceId)}>${name}</option>`,
            )}
          </select>
          ${roleField(speech, chosen.role)}
          <button type="submit">${speech.text('makeLink')}</button>
        </form>`,
  );
}

function linkPage(frame: Frame, link: string, workspaceId: string): Page {
  return framedPage(
    'linkMade',
    'people',
    frame,
    (speech) =>
      markup`<h1>${speech.text('linkMade')}</h1>
        <p>${speech.text('linkOnce')}</p>
        <p><code class="secret" id="link">${link}</code></p>
        <p class="small soft">${speech.text('noMailSent')}</p>
        <p><a class="button" href="${peopleOf(workspaceId)}">${speech.text('done')}</a></p>`,
  );
}
