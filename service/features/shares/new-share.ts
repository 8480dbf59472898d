import type { Membership } from '../../auth/accounts/accounts.js';
import { sendPage } from '../../platform/http/responses.js';
import { html, type Html } from '../../platform/html-tag.js';
import { errorBox, type Page } from '../../platform/html/layout.js';
import { notFoundPage } from '../../platform/html/error-pages.js';
import { message, type Message } from '../../platform/i18n/message.js';
import type { Translator } from '../../platform/i18n/translator.js';
import { canView } from '../../auth/accounts/photo-policy.js';
import type { Audit } from '../../auth/accounts/audit.js';
import type { PhotoTable } from '../photos/index.js';
import type { ProjectTable } from '../projects/index.js';
import { csrfField, selectedAttr } from '../../platform/html/form-fields.js';
import { renderShell, type PageShell } from '../../auth/session/page-shell.js';
import type {
  AuthenticatedRequest,
  PageHandler,
} from '../../auth/session/authenticated-request.js';
import { SHARES } from '../../platform/paths/share-paths.js';
import {
  DEFAULT_SHARE_DAYS,
  MAX_SHARES,
  SHARE_DAYS,
  SHARE_PASSWORD_LENGTH,
  linkForLog,
  type ShareTarget,
} from './share.js';
import { BUSY_RETRY_SECONDS, type SharePasswords } from './share-passwords.js';
import type { ShareTable } from './share-table.js';

export interface NewShareDeps {
  readonly photos: Pick<PhotoTable, 'findCurrent'>;
  readonly projects: Pick<ProjectTable, 'find'>;
  readonly shares: ShareTable;
  readonly passwords: SharePasswords;
  readonly audit: Audit;
  readonly baseUrl: string;
}

/** The target to share, and its workspace. */
interface Shareable {
  readonly target: ShareTarget & { readonly name: string };
  readonly workspace: Membership;
}

interface Entry {
  readonly days: number;
  readonly password: string;
}

/** Shows the form for a new link to a photo or a project that the user sees, and makes the link. */
export function newShare(deps: NewShareDeps): PageHandler {
  return async (context) => {
    const { request, response, form, account, frame } = context;
    const about = await shareable(deps, context);
    if (about === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const entry = {
      days: Number(form?.get('days') ?? DEFAULT_SHARE_DAYS),
      password: form?.get('password') ?? '',
    };
    const show = (status: number, problem: Message | undefined): void => {
      sendPage(context, status, newSharePage(frame, { ...about, entry, problem }));
    };
    const problem = entryProblem(entry);
    if (form === undefined || problem !== undefined) {
      show(problem === undefined ? 200 : 400, problem);
      return;
    }
    const hasPassword = entry.password !== '';
    const passwordHash = hasPassword ? await deps.passwords.hash(entry.password, request) : '';
    if (passwordHash === undefined) {
      response.setHeader('Retry-After', String(BUSY_RETRY_SECONDS));
      show(503, message('shareBusy'));
      return;
    }
    const made = await deps.shares.create({
      workspaceId: about.workspace.id,
      creatorId: account.id,
      target: about.target,
      days: entry.days,
      passwordHash: hasPassword ? passwordHash : undefined,
    });
    if (made === 'no member') {
      sendPage(context, 404, notFoundPage());
      return;
    }
    if (made === 'full') {
      show(400, message('tooManyShares', { max: MAX_SHARES }));
      return;
    }
    const noted = { id: made.id, workspaceId: about.workspace.id, target: about.target };
    deps.audit(response, 'link_made', { by: account.id, ...linkForLog(noted) });
    const link = deps.baseUrl + SHARES.shared(made.token);
    sendPage(context, 201, shareMadePage(frame, link, about.workspace.id));
  };
}

/** The photo or project that the request is about, if the user may share it. Users may share what they see. */
async function shareable(
  { photos, projects }: NewShareDeps,
  { form, query, account, memberships }: AuthenticatedRequest,
): Promise<Shareable | undefined> {
  const given = form ?? query;
  const photo = await photos.findCurrent(given.get('photo') ?? '');
  if (photo?.trashedAt === undefined && photo && canView(photo, account.id, memberships)) {
    const workspace = memberships.find(({ id }) => id === photo.workspaceId);
    return (
      workspace && { target: { kind: 'photo', id: photo.photoId, name: photo.name }, workspace }
    );
  }
  const project = await projects.find(given.get('project') ?? '');
  const workspace = memberships.find(({ id }) => id === project?.workspaceId);
  if (project === undefined || workspace === undefined || project.archivedAt !== undefined) {
    return undefined;
  }
  return { target: { kind: 'project', id: project.id, name: project.name }, workspace };
}

function entryProblem({ days, password }: Entry): Message | undefined {
  const offered: readonly number[] = SHARE_DAYS;
  if (!offered.includes(days)) {
    return message('chooseShareTime');
  }
  const { min, max } = SHARE_PASSWORD_LENGTH;
  const isBad = password !== '' && (password.length < min || password.length > max);
  return isBad ? message('sharePasswordLength', { min, max }) : undefined;
}

function newSharePage(
  frame: PageShell,
  {
    target,
    workspace,
    entry,
    problem,
  }: Shareable & { readonly entry: Entry; readonly problem: Message | undefined },
): Page {
  return renderShell(
    'newShare',
    'shares',
    frame,
    (translator) =>
      html`<h1>${translator.t('newShare')}</h1>
        <p>
          ${translator.html(target.kind === 'photo' ? 'newShareOfPhoto' : 'newShareOfProject', {
            name: html`<strong><bdi>${target.name}</bdi></strong>`,
          })}
        </p>
        <p class="soft">${translator.t('inWorkspace', { workspace: workspace.name })}</p>
        ${errorBox(translator, problem)}
        <form method="post" action="${SHARES.new}">
          ${csrfField(frame)}
          <input type="hidden" name="${target.kind}" value="${target.id}" />
          <label for="days">${translator.t('shareWorksFor')}</label>
          <select id="days" name="days">
            ${SHARE_DAYS.map(
              (days) =>
                html`<option value="${String(days)}" ${selectedAttr(days === entry.days)}>
                  ${translator.duration({ amount: days, unit: 'day' })}
                </option>`,
            )}
          </select>
          ${passwordField(translator, entry.password)}
          <button type="submit">${translator.t('createShare')}</button>
        </form>`,
  );
}

/** The password for a link is passed on to others, so it is shown as it is typed. */
function passwordField(translator: Translator, typed: string): Html {
  const { min, max } = SHARE_PASSWORD_LENGTH;
  return html`<label for="password">${translator.t('sharePassword')}</label>
    <input
      id="password"
      name="password"
      type="text"
      value="${typed}"
      minlength="${String(min)}"
      maxlength="${String(max)}"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      aria-describedby="password-text"
    />
    <p class="small soft" id="password-text">${translator.t('sharePasswordText', { min })}</p>`;
}

/** Shows the link, once. */
function shareMadePage(frame: PageShell, link: string, workspaceId: string): Page {
  const list = `${SHARES.root}?${new URLSearchParams({ workspace: workspaceId }).toString()}`;
  return renderShell(
    'shareMade',
    'shares',
    frame,
    (translator) =>
      html`<h1>${translator.t('shareMade')}</h1>
        <p>${translator.t('shareOnce')}</p>
        <p><code class="secret" id="secret">${link}</code></p>
        <p><a class="button" href="${list}">${translator.t('done')}</a></p>`,
  );
}
