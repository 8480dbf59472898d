import { sendPage, sendRedirect } from '../../platform/http/responses.js';
import { html, type Html } from '../../platform/html-tag.js';
import type { Page } from '../../platform/html/layout.js';
import { notFoundPage } from '../../platform/html/error-pages.js';
import type { Translator } from '../../platform/i18n/translator.js';
import type { Audit } from '../../auth/accounts/audit.js';
import { workspaceForm } from '../../auth/session/workspace-form.js';
import { noWorkspaceYetPage } from '../../auth/session/no-workspace-page.js';
import { PHOTOS } from '../../platform/paths/photo-paths.js';
import { PROJECTS } from '../../platform/paths/project-paths.js';
import { csrfField } from '../../platform/html/form-fields.js';
import { renderShell, type PageShell } from '../../auth/session/page-shell.js';
import type {
  AuthenticatedRequest,
  PageHandler,
} from '../../auth/session/authenticated-request.js';
import { SHARES } from '../../platform/paths/share-paths.js';
import { linkForLog, mayChange, type Share } from './share.js';
import type { ShareTable } from './share-table.js';

interface ShareListDeps {
  readonly shares: ShareTable;
  readonly audit: Audit;
  readonly baseUrl: string;
}

/** Shows the links of a workspace. Owners see all links, other members only their own. */
export function shareList({
  shares,
  baseUrl,
}: Pick<ShareListDeps, 'shares' | 'baseUrl'>): PageHandler {
  return async (context) => {
    const { query, account, memberships, frame } = context;
    const wanted = query.get('workspace');
    const workspace = memberships.find(({ id }) => id === wanted) ?? memberships[0];
    if (workspace === undefined) {
      sendPage(context, 200, noWorkspaceYetPage('shares', frame, account.username));
      return;
    }
    const creatorId = workspace.role === 'owner' ? undefined : account.id;
    const found = await shares.of(workspace.id, { creatorId });
    // A link opens to everyone who has its address, in its creator's name. So only the creator gets the address.
    const listed = found.map((share) => ({
      share,
      link:
        share.creatorId === account.id
          ? baseUrl + SHARES.shared(shares.tokenOf(share.id))
          : undefined,
    }));
    sendPage(context, 200, shareListPage(frame, { workspace, memberships, listed }));
  };
}

/** Revokes a link. */
export function revokeShare({ shares, audit }: ShareListDeps): PageHandler {
  return async (context) => {
    const { response, form, account, memberships } = context;
    const share = await shares.find(form?.get('share') ?? '');
    // Users who may not revoke a link do not learn whether it exists.
    if (share === undefined || !mayChange(share, account.id, memberships)) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    if (await shares.revoke(share.id)) {
      const noted = { ...share, workspaceId: share.workspace.id };
      audit(response, 'link_revoked', { by: account.id, ...linkForLog(noted) });
    }
    const query = new URLSearchParams({ workspace: share.workspace.id, done: 'shareRevoked' });
    sendRedirect(response, `${SHARES.root}?${query.toString()}`);
  };
}

/** A link in the list. `link` is its address, for its creator. */
interface Listed {
  readonly share: Share;
  readonly link: string | undefined;
}

function shareListPage(
  frame: PageShell,
  about: {
    workspace: AuthenticatedRequest['memberships'][number];
    memberships: AuthenticatedRequest['memberships'];
    listed: readonly Listed[];
  },
): Page {
  const { workspace, memberships, listed } = about;
  return renderShell(
    'shares',
    'shares',
    frame,
    (translator) =>
      html`<h1>${translator.t('shares')}</h1>
        ${workspaceForm(translator, SHARES.root, { workspace }, memberships)}
        <p class="soft">${translator.t('sharesText')}</p>
        ${
          listed.length === 0
            ? html`<p>${translator.t('noShareYet')}</p>`
            : html`<ul class="cards">
                ${listed.map((one) => card(translator, frame, one))}
              </ul>`
        }`,
  );
}

function card(translator: Translator, frame: PageShell, { share, link }: Listed): Html {
  return html`<li>
    <h2>${heading(translator, share)}</h2>
    ${
      link === undefined
        ? html`<p class="small soft">
            ${translator.t('shareOfOther', { user: share.creatorName })}
          </p>`
        : html`<p><code class="secret">${link}</code></p>`
    }
    <p class="small">
      ${translator.html('shareMadeBy', { time: translator.time(share.createdAt), user: share.creatorName })}
    </p>
    <p class="small soft">
      ${translator.html('expires', { time: translator.time(share.expiresAt) })} ·
      ${
        share.openedAt === undefined
          ? translator.t('shareNotOpened')
          : translator.html('shareOpened', { time: translator.time(share.openedAt) })
      }
      ${share.passwordHash === undefined ? undefined : html`· ${translator.t('shareHasPassword')}`}
    </p>
    ${
      share.isSuspended
        ? html`<p class="small">
            ${translator.t(
              share.target.kind === 'project' ? 'shareRestsProject' : 'shareRestsPhotos',
            )}
          </p>`
        : undefined
    }
    <p><a href="${SHARES.answersOf(share.id)}">${translator.t('seeAnswers')}</a></p>
    <form method="post" action="${SHARES.root}">
      ${csrfField(frame)}
      <input type="hidden" name="share" value="${share.id}" />
      <button type="submit" class="danger small">${translator.t('revoke')}</button>
    </form>
  </li>`;
}

function heading(translator: Translator, { target }: Share): Html | string {
  if (target.kind === 'photos' && target.chosen !== 1) {
    return translator.t('shareOfPhotos', { count: target.chosen });
  }
  const address = (target.kind === 'photos' ? PHOTOS.photo : PROJECTS.project)(target.id);
  const name = html`<a href="${address}"><bdi>${target.name}</bdi></a>`;
  return target.kind === 'photos'
    ? translator.html('shareOfPhoto', { name })
    : translator.html('projectNamed', { project: name });
}
