import type { Membership, Role } from '../../auth/accounts/accounts.js';
import {
  INVITATION_DAYS,
  MAX_INVITATIONS,
  type Invitations,
} from '../../auth/invitations/invitations.js';
import { sendPage, sendRedirect } from '../../platform/http/responses.js';
import { html } from '../../platform/html-tag.js';
import { errorBox, type Page } from '../../platform/html/layout.js';
import { settingsProblemPage } from '../../platform/html/error-pages.js';
import { message, type Message } from '../../platform/i18n/message.js';
import { csrfField, selectedAttr } from '../../platform/html/form-fields.js';
import { renderShell, type PageShell } from '../../auth/session/page-shell.js';
import type {
  AuthenticatedRequest,
  PageHandler,
} from '../../auth/session/authenticated-request.js';
import type { Audit } from '../../auth/accounts/audit.js';
import { roleField } from './member-page.js';
import { linkTo, PEOPLE_PATHS, peoplePath } from '../../platform/paths/people-paths.js';

export interface NewInvitationDeps {
  readonly invitations: Invitations;
  readonly audit: Audit;
  readonly baseUrl: string;
}

/** The entries of the form. */
interface InvitationEntry {
  readonly workspaceId: string;
  readonly role: Role;
}

/** Shows the form to invite a user to a workspace of the signed-in owner, and makes the link, which is shown once. */
export function newInvitation(deps: NewInvitationDeps): PageHandler {
  return async (context) => {
    const { form, query, memberships, frame } = context;
    const owned = memberships.filter(({ role }) => role === 'owner');
    if (owned.length === 0) {
      sendPage(context, 403, settingsProblemPage(message('onlyOwnersManage')));
      return;
    }
    const entry: InvitationEntry = {
      workspaceId: (form ?? query).get('workspace') ?? '',
      role: form?.get('role') === 'owner' ? 'owner' : 'member',
    };
    const made = form === undefined ? undefined : await make(deps, context, owned, entry, form);
    if (made !== undefined && 'link' in made) {
      sendPage(context, 201, linkPage(frame, made.link, entry.workspaceId));
      return;
    }
    const page = formPage(frame, { owned, entry, problem: made });
    sendPage(context, made === undefined ? 200 : 400, page);
  };
}

/** Revokes an invitation. */
export function revokeInvitation({ invitations, audit }: NewInvitationDeps): PageHandler {
  return async (context) => {
    const { response, form, account, memberships } = context;
    const workspace = memberships.find(
      ({ id, role }) => id === form?.get('workspace') && role === 'owner',
    );
    if (workspace === undefined) {
      sendPage(context, 403, settingsProblemPage(message('onlyOwnersManage')));
      return;
    }
    const invitation = form?.get('invitation') ?? '';
    if (await invitations.revoke(workspace.id, invitation)) {
      await audit(response, 'invitation_revoked', {
        by: account.id,
        workspace: workspace.id,
        invitation,
      });
    }
    sendRedirect(response, peoplePath(workspace.id, 'invitationRevoked'));
  };
}

async function make(
  { invitations, audit, baseUrl }: NewInvitationDeps,
  { response, account }: AuthenticatedRequest,
  owned: readonly Membership[],
  { workspaceId, role }: InvitationEntry,
  form: URLSearchParams,
): Promise<{ link: string } | Message> {
  if (!owned.some(({ id }) => id === workspaceId)) {
    return message('chooseAWorkspace');
  }
  if (form.get('role') !== role) {
    return message('chooseRole');
  }
  const made = await invitations.create({ workspaceId, role, invitedBy: account.id });
  if (typeof made === 'string') {
    return made === 'too many'
      ? message('tooManyInvitations', { max: MAX_INVITATIONS })
      : message('onlyOwnersManage');
  }
  const noted = { by: account.id, workspace: workspaceId, role, invitation: made.id };
  await audit(response, 'invited', noted);
  return { link: linkTo(baseUrl, PEOPLE_PATHS.invitation, made.token) };
}

function formPage(
  frame: PageShell,
  about: { owned: readonly Membership[]; entry: InvitationEntry; problem: Message | undefined },
): Page {
  const { owned, entry } = about;
  return renderShell(
    'inviteSomebody',
    'people',
    frame,
    (translator) =>
      html`<h1>${translator.t('inviteSomebody')}</h1>
        <p>${translator.t('inviteText', { time: { amount: INVITATION_DAYS, unit: 'day' } })}</p>
        ${errorBox(translator, about.problem)}
        <form method="post" action="${PEOPLE_PATHS.newInvitation}">
          ${csrfField(frame)}
          <label for="workspace">${translator.t('workspace')}</label>
          <select id="workspace" name="workspace">
            ${owned.map(
              ({ id, name }) =>
                html`<option value="${id}" ${selectedAttr(id === entry.workspaceId)}>
                  ${name}
                </option>`,
            )}
          </select>
          ${roleField(translator, entry.role)}
          <button type="submit">${translator.t('makeLink')}</button>
        </form>`,
  );
}

function linkPage(frame: PageShell, link: string, workspaceId: string): Page {
  return renderShell(
    'linkMade',
    'people',
    frame,
    (translator) =>
      html`<h1>${translator.t('linkMade')}</h1>
        <p>${translator.t('linkOnce')}</p>
        <p><code class="secret" id="link">${link}</code></p>
        <p class="small soft">${translator.t('noMailSent')}</p>
        <p><a class="button" href="${peoplePath(workspaceId)}">${translator.t('done')}</a></p>`,
  );
}
