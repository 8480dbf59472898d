import {
  ROLE_WORDS,
  noWorkspaceYetPage,
  renderShell,
  type Membership,
  type Invitation,
  type Invitations,
  type Member,
  type Members,
  type PageShell,
  type PageHandler,
} from '../../identity/index.js';
import { sendPage } from '../../kernel/http/responses.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Page } from '../../kernel/html/layout.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { cards } from '../../kernel/html/components.js';
import { waitingPhotos, type DeviceTable, type StoredReport } from '../../library/index.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { PEOPLE_PATHS } from '../../site/addresses/people-paths.js';
import { logoForm, type LogoOnPage, type LogoTable } from '../../delivery/index.js';
import { visibilityForm } from './visibility-setting.js';

/** The content of a page about the users of a workspace. */
interface Shown {
  readonly workspace: Membership;
  readonly memberships: readonly Membership[];
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
  /** What computers report: of everybody for owners, else of the user. */
  readonly waiting: readonly StoredReport[];
  readonly now: Date;
  readonly logo: LogoOnPage | undefined;
  /** The signed-in user. */
  readonly accountId: string;
}

export interface MemberListDeps {
  readonly members: Members;
  readonly invitations: Invitations;
  readonly logos: LogoTable;
  readonly devices: Pick<DeviceTable, 'waiting'>;
  readonly now: () => Date;
}

/**
 * Shows the users of a workspace, and which photos wait on their computers. Owners see all members and the open
 * invitations; other members see themselves and the owners.
 */
export function memberList({
  members,
  invitations,
  logos,
  devices,
  now,
}: MemberListDeps): PageHandler {
  return async (context) => {
    const { query, account, memberships, shell } = context;
    const wanted = query.get('workspace');
    const workspace = memberships.find(({ id }) => id === wanted) ?? memberships[0];
    if (workspace === undefined) {
      sendPage(context, 200, noWorkspaceYetPage('people', shell, account.username));
      return;
    }
    const isOwner = workspace.role === 'owner';
    const all = await members.of(workspace.id);
    const page = memberListPage(shell, {
      workspace,
      memberships,
      members: all.filter(
        ({ accountId, role }) => isOwner || role === 'owner' || accountId === account.id,
      ),
      invitations: isOwner ? await invitations.of(workspace.id) : [],
      waiting: await devices.waiting(workspace.id, isOwner ? undefined : account.id),
      now: now(),
      logo: isOwner ? await logos.of(workspace.id) : undefined,
      accountId: account.id,
    });
    sendPage(context, 200, page);
  };
}

function memberListPage(shell: PageShell, shown: Shown): Page {
  const { workspace } = shown;
  const isOwner = workspace.role === 'owner';
  return renderShell(
    'people',
    'people',
    { ...shell, workspace },
    (translator) =>
      html`<h1>${translator.t('people')}</h1>
        <p class="soft">${translator.html('workspaceNamed', { workspace: workspace.name })}</p>
        <p class="soft small">${translator.t(isOwner ? 'rolesText' : 'onlyOwnersInvite')}</p>
        ${
          isOwner
            ? html`<p>
                <a
                  class="button"
                  href="${PEOPLE_PATHS.newInvitation}?${new URLSearchParams({ workspace: workspace.id }).toString()}"
                  >${translator.t('inviteSomebody')}</a
                >
              </p>`
            : undefined
        }
        ${cards(shown.members.map((member) => memberCard(translator, shown, member)))}
        ${
          shown.invitations.length === 0
            ? undefined
            : html`<h2>${translator.t('openInvitations')}</h2>
                ${cards(shown.invitations.map((one) => invitationCard(translator, shell, one)))}`
        }
        ${visibilityForm(translator, shell, workspace)}
        ${logoForm(translator, shell, workspace, shown.logo)}`,
    { showsPictures: true },
  );
}

function memberCard(
  translator: Translator,
  { workspace, accountId, waiting, now }: Shown,
  { accountId: id, displayName, username, role }: Member,
): Html {
  const isSelf = id === accountId;
  const query = new URLSearchParams({ workspace: workspace.id }).toString();
  const address = `${PEOPLE_PATHS.member(id)}?${query}`;
  return html`<li>
    <h2>${isSelf ? translator.html('thatIsYou', { name: displayName }) : verbatim(displayName)}</h2>
    <p class="small soft">${verbatim(username)} · ${translator.t(ROLE_WORDS[role])}</p>
    ${waitingPhotos(
      translator,
      waiting.filter((report) => report.accountId === id),
      now,
    )}
    ${isSelf || workspace.role === 'owner' ? memberLink(translator, workspace, displayName, address) : undefined}
  </li>`;
}

function memberLink(
  translator: Translator,
  { role }: Membership,
  name: string,
  address: string,
): Html {
  return role === 'owner'
    ? html`<p class="small">
        <a href="${address}" aria-label="${translator.t('changeOf', { name })}"
          >${translator.t('changeMember')}</a
        >
      </p>`
    : html`<p class="small"><a href="${address}">${translator.t('leaveWorkspace')}</a></p>`;
}

function invitationCard(translator: Translator, shell: PageShell, invitation: Invitation): Html {
  const { invitedBy } = invitation;
  return html`<li>
    <h3>${translator.t(ROLE_WORDS[invitation.role])}</h3>
    <p class="small">
      ${
        invitedBy === undefined
          ? translator.t('invitedByOperators')
          : translator.html('invitedBy', { user: invitedBy })
      }
    </p>
    <p class="small soft">
      ${translator.html('expires', { time: translator.time(invitation.expiresAt) })}
    </p>
    <form method="post" action="${PEOPLE_PATHS.invitations}">
      ${csrfField(shell)}
      <input type="hidden" name="workspace" value="${invitation.workspaceId}" />
      <input type="hidden" name="invitation" value="${invitation.id}" />
      <button type="submit" class="danger small">${translator.t('revoke')}</button>
    </form>
  </li>`;
}
