import { copyField } from '../../kernel/html/components.js';
import {
  INVITATION_DAYS,
  MAX_INVITATIONS,
  renderShell,
  queueMail,
  type Membership,
  type Role,
  type Invitations,
  type PageShell,
  type AuthenticatedRequest,
  type PageHandler,
  type Audit,
  type PasswordHelp,
  INVITATION_EVENTS,
} from '../../identity/index.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { settingsProblemPage } from '../../site/error-pages.js';
import { message, waitDuration, type Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { csrfField, selectedAttr } from '../../kernel/html/form-fields.js';
import { MAX_ADDRESS_LENGTH, readMailAddress } from '../../kernel/mail/mail-address.js';
import type { RateLimiter } from '../../kernel/rate-limit/rate-limiter.js';
import { roleField } from './member-page.js';
import { linkTo, PEOPLE_PATHS, peoplePath } from '../../site/addresses/people-paths.js';

/** Mails with an invitation in a day: of one user, to one address. */
const MAX_MAILS = 50;
const MAX_MAILS_TO_ONE = 5;
const DAY_SECONDS = 24 * 3600;

export interface NewInvitationDeps {
  readonly invitations: Invitations;
  readonly audit: Audit;
  readonly baseUrl: string;
  readonly limit: RateLimiter;
  readonly now: () => Date;
  readonly help: PasswordHelp;
}

/** The entries of the form. */
interface InvitationEntry {
  readonly workspaceId: string;
  readonly role: Role;
  /** Where the link is sent, as it was typed; empty for nowhere. */
  readonly email: string;
}

/** Shows the form to invite a user to a workspace of the signed-in owner, and makes the link, which is shown once. */
export function newInvitation(deps: NewInvitationDeps): PageHandler {
  return async (context) => {
    const { form, query, memberships, shell } = context;
    const owned = memberships.filter(({ role }) => role === 'owner');
    if (owned.length === 0) {
      sendPage(context, 403, settingsProblemPage(message('onlyOwnersManage')));
      return;
    }
    const entry: InvitationEntry = {
      workspaceId: (form ?? query).get('workspace') ?? '',
      role: form?.get('role') === 'owner' ? 'owner' : 'member',
      email: deps.help.sendsMail ? (form?.get('email')?.trim() ?? '') : '',
    };
    const made = form === undefined ? undefined : await make(deps, context, owned, entry, form);
    if (made !== undefined && 'link' in made) {
      sendPage(context, 201, linkPage(shell, made.link, entry, deps.help.sendsMail));
      return;
    }
    const page = formPage(shell, { owned, entry, problem: made, sendsMail: deps.help.sendsMail });
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
    const about = { by: account.id, workspace: workspace.id, ids: { invitation } };
    await invitations.revoke(workspace.id, invitation, (transaction) =>
      audit(response, INVITATION_EVENTS.revoked, about, transaction),
    );
    sendRedirect(response, peoplePath(workspace.id, 'invitationRevoked'));
  };
}

async function make(
  deps: NewInvitationDeps,
  { response, account, locale }: AuthenticatedRequest,
  owned: readonly Membership[],
  { workspaceId, role, email }: InvitationEntry,
  form: URLSearchParams,
): Promise<{ link: string } | Message> {
  if (!owned.some(({ id }) => id === workspaceId)) {
    return message('chooseAWorkspace');
  }
  if (form.get('role') !== role) {
    return message('chooseRole');
  }
  const { invitations, audit, baseUrl } = deps;
  const recipient = email === '' ? undefined : readMailAddress(email);
  if (email !== '' && recipient === undefined) {
    return message('emailRule', { example: 'ada@example.com' });
  }
  const problem =
    recipient === undefined ? undefined : await countMail(deps, account.id, recipient);
  if (problem !== undefined) {
    return problem;
  }
  const made = await invitations.create(
    { workspaceId, role, invitedBy: account.id },
    async (transaction, id) => {
      const about = { by: account.id, workspace: workspaceId, ids: { role, invitation: id } };
      await audit(response, INVITATION_EVENTS.sent, about, transaction);
      if (recipient !== undefined) {
        const subject = { kind: 'invitation', about: { invitationId: id } } as const;
        const mail = { ...subject, recipient, locale: locale.language };
        await queueMail(transaction, mail, deps.now());
      }
    },
  );
  if (typeof made === 'string') {
    return made === 'too many'
      ? message('tooManyInvitations', { max: MAX_INVITATIONS })
      : message('onlyOwnersManage');
  }
  return { link: linkTo(baseUrl, PEOPLE_PATHS.invitation, made.token) };
}

/** Counts a mail with an invitation. @returns why it must not be sent; undefined if it may. */
async function countMail(
  { limit }: NewInvitationDeps,
  accountId: string,
  recipient: string,
): Promise<Message | undefined> {
  const taken = await limit.consume([
    { key: ['invitation mails of user', accountId], max: MAX_MAILS, windowSeconds: DAY_SECONDS },
    {
      key: ['invitation mails to', recipient.toLowerCase()],
      max: MAX_MAILS_TO_ONE,
      windowSeconds: DAY_SECONDS,
    },
  ]);
  return 'waitSeconds' in taken
    ? message('tooManyRequests', { time: waitDuration(taken.waitSeconds) })
    : undefined;
}

function formPage(
  shell: PageShell,
  about: {
    owned: readonly Membership[];
    entry: InvitationEntry;
    problem: Message | undefined;
    sendsMail: boolean;
  },
): Page {
  const { owned, entry } = about;
  return renderShell(
    'inviteSomebody',
    'people',
    shell,
    (translator) =>
      html`<h1>${translator.t('inviteSomebody')}</h1>
        <p>
          ${translator.t(about.sendsMail ? 'inviteTextMail' : 'inviteText', {
            time: { amount: INVITATION_DAYS, unit: 'day' },
          })}
        </p>
        ${errorBox(translator, about.problem)}
        <form method="post" action="${PEOPLE_PATHS.newInvitation}">
          ${csrfField(shell)}
          <label for="workspace">${translator.t('workspace')}</label>
          <select id="workspace" name="workspace">
            ${owned.map(
              ({ id, name }) =>
                html`<option value="${id}" ${selectedAttr(id === entry.workspaceId)} translate="no">
                  ${name}
                </option>`,
            )}
          </select>
          ${roleField(translator, entry.role)}
          ${about.sendsMail ? emailField(translator, entry.email) : undefined}
          <button type="submit">${translator.t('makeLink')}</button>
        </form>`,
  );
}

function emailField(translator: Translator, typed: string): Html {
  return html`<label for="email">${translator.t('inviteMailField')}</label>
    <p class="small soft" id="email_rule">${translator.t('inviteMailText')}</p>
    <input
      id="email"
      name="email"
      type="email"
      value="${typed}"
      maxlength="${String(MAX_ADDRESS_LENGTH)}"
      autocomplete="off"
      aria-describedby="email_rule"
    />`;
}

function linkPage(
  shell: PageShell,
  link: string,
  { workspaceId, email }: InvitationEntry,
  sendsMail: boolean,
): Page {
  return renderShell(
    'linkMade',
    'people',
    shell,
    (translator) =>
      html`<h1>${translator.t('linkMade')}</h1>
        ${
          email === ''
            ? undefined
            : html`<p role="status">${translator.html('inviteMailSent', { email })}</p>`
        }
        <p>${translator.t('linkOnce')}</p>
        ${copyField(translator, 'link', link)}
        <p class="small soft">${translator.t(sendsMail ? 'inviteRevocable' : 'noMailSent')}</p>
        <p><a class="button" href="${peoplePath(workspaceId)}">${translator.t('done')}</a></p>`,
  );
}
