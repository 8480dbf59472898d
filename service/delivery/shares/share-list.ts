import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { notFoundPage } from '../../site/error-pages.js';
import type { Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import {
  noWorkspaceYetPage,
  renderShell,
  type PageShell,
  type AuthenticatedRequest,
  type PageHandler,
} from '../../identity/index.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { mayChange, type OpenShare, type Share } from './share.js';
import { ShareChanges, type ShareChangesDeps } from './share-changes.js';
import { addressField, shareFacts, suspensionText, targetLink } from './share-components.js';

export interface ShareListDeps extends ShareChangesDeps {
  readonly baseUrl: string;
}

/** Shows the links of a workspace. Owners see all links, other members only their own. */
export function shareList(deps: Pick<ShareListDeps, 'shares' | 'baseUrl'>): PageHandler {
  return async (context) => {
    const { query, account, memberships } = context;
    const wanted = query.get('workspace');
    const workspace = memberships.find(({ id }) => id === wanted) ?? memberships[0];
    if (workspace === undefined) {
      sendPage(context, 200, noWorkspaceYetPage('shares', context.shell, account.username));
      return;
    }
    await showList(deps, context, workspace);
  };
}

async function showList(
  { shares, baseUrl }: Pick<ShareListDeps, 'shares' | 'baseUrl'>,
  context: AuthenticatedRequest,
  workspace: AuthenticatedRequest['memberships'][number],
  refused?: { readonly problem: Message },
): Promise<void> {
  const { query, account, memberships, shell } = context;
  const creatorId = workspace.role === 'owner' ? undefined : account.id;
  const found = await shares.of(workspace.id, { creatorId });
  const ended = await shares.endedOf(workspace.id, { creatorId });
  // A link opens to everyone who has its address, in its creator's name. So only the creator gets the address.
  const listed = found.map((share) => ({
    share,
    link:
      share.creatorId === account.id
        ? baseUrl + SHARES.shared(shares.tokenOf(share.id))
        : undefined,
  }));
  const revoked = ended.find(({ id, revokedAt }) => revokedAt && id === query.get('revoked'));
  const undo = revoked && { undo: SHARES.restore(revoked.id) };
  sendPage(
    context,
    refused === undefined ? 200 : 400,
    shareListPage({ ...shell, ...undo }, { workspace, memberships, listed, ended, ...refused }),
  );
}

/** A link that the user may change; undefined otherwise: they do not learn whether it exists. */
export async function changeable(
  shares: ShareListDeps['shares'],
  { account, memberships }: AuthenticatedRequest,
  id: string,
): Promise<OpenShare | undefined> {
  const share = (await shares.find(id)) ?? (await shares.findEnded(id));
  return share !== undefined && mayChange(share, account.id, memberships) ? share : undefined;
}

/** The question whether to revoke a link. */
export function askToRevoke({ shares }: ShareListDeps): PageHandler {
  return async (context) => {
    const share = await changeable(shares, context, context.id);
    if (share === undefined || share.revokedAt !== undefined) {
      sendPage(context, 404, notFoundPage());
    } else {
      sendPage(context, 200, revokePage(context.shell, share));
    }
  };
}

/** Revokes a link. */
export function revokeShare(deps: ShareListDeps): PageHandler {
  const changes = new ShareChanges(deps);
  return async (context) => {
    const { response, account } = context;
    const share = await changeable(deps.shares, context, context.id);
    if (share === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    await changes.revoke(share, { accountId: account.id }, response);
    toList(context, share, { flash: 'shareRevoked', revoked: share.id });
  };
}

/** Undoes the revocation of a link. */
export function restoreShare(deps: ShareListDeps): PageHandler {
  const changes = new ShareChanges(deps);
  return async (context) => {
    const share = await changeable(deps.shares, context, context.id);
    if (share === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const by = { accountId: context.account.id };
    const problem = await changes.restore(share, by, context.response);
    if (problem === undefined) {
      toList(context, share, { flash: 'shareRestored' });
    } else {
      const workspace = context.memberships.find(({ id }) => id === share.workspace.id);
      await showList(deps, context, workspace ?? share.workspace, { problem });
    }
  };
}

/** Leads back to the list, with the message about what was done. */
export function toList(
  { response }: AuthenticatedRequest,
  share: Share,
  flash: Readonly<Record<string, string>>,
): void {
  const query = new URLSearchParams({ workspace: share.workspace.id, ...flash });
  sendRedirect(response, `${SHARES.root}?${query.toString()}`);
}

/** A link in the list. `link` is its address, for its creator. */
interface Listed {
  readonly share: Share;
  readonly link: string | undefined;
}

function shareListPage(
  shell: PageShell,
  about: {
    workspace: AuthenticatedRequest['memberships'][number];
    memberships: AuthenticatedRequest['memberships'];
    listed: readonly Listed[];
    ended: readonly Share[];
    problem?: Message;
  },
): Page {
  const { workspace, listed, ended, problem } = about;
  return renderShell(
    'shares',
    'shares',
    { ...shell, workspace },
    (translator) =>
      html`<h1>${translator.t('shares')}</h1>
        ${errorBox(translator, problem)}
        <p class="soft">${translator.t('sharesText')}</p>
        ${
          listed.length === 0
            ? html`<p>${translator.t('noShareYet')}</p>`
            : html`<ul class="cards">
                ${listed.map((one) => card(translator, one))}
              </ul>`
        }
        ${
          ended.length === 0
            ? undefined
            : html`<h2 id="ended">${translator.t('sharesEnded')}</h2>
                <p class="soft">${translator.t('sharesEndedText')}</p>
                <ul class="cards">
                  ${ended.map((share) => endedCard(translator, shell, share))}
                </ul>`
        }`,
  );
}

function card(translator: Translator, { share, link }: Listed): Html {
  const rests = suspensionText(translator, share);
  return html`<li class="share">
    ${heading(translator, share)}
    ${
      link === undefined
        ? html`<p class="small soft">
            ${translator.html('shareOfOther', { user: share.creatorName })}
          </p>`
        : addressField(translator, `link-${share.id}`, link)
    }
    <p class="small soft">
      ${translator.html('shareMadeBy', { time: translator.time(share.createdAt), user: share.creatorName })}
    </p>
    ${shareFacts(translator, share)} ${rests && html`<p class="small problem">${rests}</p>`}
    <p class="actions">
      <a class="button quiet small" href="${SHARES.share(share.id)}"
        >${translator.t('shareEdit')}</a
      >
      <a class="button quiet small" href="${SHARES.answersOf(share.id)}"
        >${translator.t('answersOfClients')}</a
      >
      <a class="button danger small" href="${SHARES.revoke(share.id)}">${translator.t('revoke')}</a>
    </p>
  </li>`;
}

function endedCard(translator: Translator, shell: PageShell, share: Share): Html {
  const { revokedAt, expiresAt } = share;
  return html`<li class="share">
    ${heading(translator, share)}
    <p class="small soft">
      ${
        revokedAt === undefined
          ? translator.html('shareExpiredAt', { time: translator.time(expiresAt) })
          : translator.html('shareRevokedAt', { time: translator.time(revokedAt) })
      }
    </p>
    ${
      revokedAt === undefined
        ? html`<p class="actions">
            <a class="button quiet small" href="${SHARES.share(share.id)}"
              >${translator.t('shareExtend')}</a
            >
          </p>`
        : html`<form method="post" action="${SHARES.restore(share.id)}">
            ${csrfField(shell)}
            <button type="submit" class="quiet small">${translator.t('undo')}</button>
          </form>`
    }
  </li>`;
}

function heading(translator: Translator, share: Share): Html {
  const target = targetLink(translator, share);
  return share.title === undefined
    ? html`<h2>${target}</h2>`
    : html`<h2>${verbatim(share.title)}</h2>
        <p class="small">${target}</p>`;
}

function revokePage(shell: PageShell, share: Share): Page {
  return renderShell(
    'shareRevokeTitle',
    'shares',
    shell,
    (translator) =>
      html`<h1>${translator.t('shareRevokeTitle')}</h1>
        ${heading(translator, share)}
        <p>${translator.t('shareRevokeText')}</p>
        <form method="post" action="${SHARES.revoke(share.id)}">
          ${csrfField(shell)}
          <button type="submit" class="danger">${translator.t('revoke')}</button>
        </form>
        <p><a href="${SHARES.root}">${translator.t('cancel')}</a></p>`,
  );
}
