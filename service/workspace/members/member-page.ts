import { MEMBER_EVENTS } from './events.js';
import {
  renderShell,
  ROLE_WORDS,
  type Membership,
  type Role,
  type Member,
  type Members,
  type PageShell,
  type AuthenticatedRequest,
  type PageHandler,
  type Audit,
} from '../../identity/index.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { notFoundPage } from '../../site/error-pages.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { csrfField, selectedAttr } from '../../kernel/html/form-fields.js';
import { PEOPLE_PATHS, peoplePath } from '../../site/addresses/people-paths.js';

export interface MemberPageDeps {
  readonly members: Members;
  readonly audit: Audit;
}

/** The content of the page. */
interface Shown {
  readonly workspace: Membership;
  readonly member: Member;
  /** Whether the member is the signed-in user. */
  readonly isSelf: boolean;
  readonly problem: Message | undefined;
}

const ROLES: readonly Role[] = ['owner', 'member'];

/**
 * The page of one user in a workspace. An owner can change their role or remove them; every member may leave. Owners see
 * the page of everybody, other members only their own.
 */
export function memberPage(deps: MemberPageDeps): PageHandler {
  return async (context) => {
    const { response, id, form, query, account, memberships, shell } = context;
    const wanted = (form ?? query).get('workspace');
    const workspace = memberships.find((one) => one.id === wanted);
    const isSelf = id === account.id;
    if (workspace === undefined || !(isSelf || workspace.role === 'owner')) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const outcome = form === undefined ? undefined : await change(deps, context, workspace, form);
    if (typeof outcome === 'string') {
      sendRedirect(response, outcome);
      return;
    }
    const member = (await deps.members.of(workspace.id)).find((one) => one.accountId === id);
    if (member === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const page = shownPage(shell, { workspace, member, isSelf, problem: outcome });
    sendPage(context, outcome === undefined ? 200 : 400, page);
  };
}

/** Handles the form. @returns the address to redirect to, or why nothing was done. */
async function change(
  { members, audit }: MemberPageDeps,
  { response, id, account }: AuthenticatedRequest,
  workspace: Membership,
  form: URLSearchParams,
): Promise<string | Message> {
  const about = { workspaceId: workspace.id, by: account.id, accountId: id };
  const noted = { by: account.id, user: id, workspace: workspace.id };
  const action = form.get('action');
  if (action === 'role') {
    const role = ROLES.find((one) => one === form.get('role'));
    if (role === undefined) {
      return message('chooseRole');
    }
    const problem = await members.setRole(about, role, (transaction) =>
      audit(response, MEMBER_EVENTS.roleChanged, { ...noted, ids: { role } }, transaction),
    );
    if (problem !== undefined) {
      return problem;
    }
    return peoplePath(workspace.id, 'saved');
  }
  if (action !== 'remove') {
    return message('cannotBeDone');
  }
  if (form.get('confirm') !== 'yes') {
    return message('tickTheBox');
  }
  const isSelf = id === account.id;
  const problem = await members.remove(about, (transaction) =>
    audit(response, isSelf ? MEMBER_EVENTS.left : MEMBER_EVENTS.removed, noted, transaction),
  );
  if (problem !== undefined) {
    return problem;
  }
  return isSelf ? `${PEOPLE_PATHS.people}?flash=left` : peoplePath(workspace.id, 'memberRemoved');
}

function shownPage(shell: PageShell, shown: Shown): Page {
  const { workspace, member, isSelf } = shown;
  return renderShell(
    { name: member.displayName },
    'people',
    shell,
    (translator) =>
      html`<h1>
          ${isSelf ? translator.html('thatIsYou', { name: member.displayName }) : verbatim(member.displayName)}
        </h1>
        <p class="soft small">
          ${verbatim(member.username)} · ${translator.t(ROLE_WORDS[member.role])} ·
          ${translator.html('workspaceNamed', { workspace: workspace.name })}
        </p>
        ${errorBox(translator, shown.problem)}
        ${workspace.role === 'owner' ? roleForm(translator, shell, shown) : undefined}
        <h2>${translator.t(isSelf ? 'leaveWorkspace' : 'removeMember')}</h2>
        ${removalForm(translator, shell, shown)}`,
  );
}

function roleForm(translator: Translator, shell: PageShell, { workspace, member }: Shown): Html {
  return html`<form method="post" action="${PEOPLE_PATHS.member(member.accountId)}">
    ${csrfField(shell)}
    <input type="hidden" name="workspace" value="${workspace.id}" />
    <input type="hidden" name="action" value="role" />
    ${roleField(translator, member.role)}
    <button type="submit">${translator.t('saveChanges')}</button>
  </form>`;
}

/** The field to choose a role. */
export function roleField(translator: Translator, chosen: Role): Html {
  return html`<label for="role">${translator.t('role')}</label>
    <select id="role" name="role">
      ${ROLES.map(
        (role) =>
          html`<option value="${role}" ${selectedAttr(role === chosen)}>
            ${translator.t(ROLE_WORDS[role])}
          </option>`,
      )}
    </select>
    <p class="small soft">${translator.t('rolesText')}</p>`;
}

function removalForm(
  translator: Translator,
  shell: PageShell,
  { workspace, member, isSelf }: Shown,
): Html {
  return html`<form method="post" action="${PEOPLE_PATHS.member(member.accountId)}">
    ${csrfField(shell)}
    <input type="hidden" name="workspace" value="${workspace.id}" />
    <input type="hidden" name="action" value="remove" />
    <label class="option"
      ><input type="checkbox" name="confirm" value="yes" required />
      <span>${translator.t(isSelf ? 'myAccessEnds' : 'theirAccessEnds')}</span></label
    >
    <button type="submit" class="danger">
      ${translator.t(isSelf ? 'leaveWorkspace' : 'removeMember')}
    </button>
  </form>`;
}
