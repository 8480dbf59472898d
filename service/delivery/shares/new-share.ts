import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { notFoundPage } from '../../site/error-pages.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { checkedAttr, csrfField } from '../../kernel/html/form-fields.js';
import {
  renderShell,
  type PageShell,
  type AuthenticatedRequest,
  type PageHandler,
} from '../../identity/index.js';
import { chosenForShare } from '../../library/index.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import {
  DEFAULT_SHARE_DAYS,
  MAX_SHARES,
  SHARE_DAYS,
  type NewShareTarget,
  type Share,
} from './share.js';
import { addressField, passwordField, targetLink, watermarkField } from './share-components.js';
import {
  entryProblem,
  ShareCreation,
  type Shareable,
  type ShareCreationDeps,
  type ShareEntry,
} from './share-creation.js';
import { BUSY_RETRY_SECONDS } from './share-passwords.js';

export interface NewShareDeps extends ShareCreationDeps {
  readonly baseUrl: string;
}

/**
 * Shows the form for a new link to photos or a project that the user sees, and makes the link. A form without `days` is
 * that of a list, with the ticked photos.
 */
export function newShare(deps: NewShareDeps): PageHandler {
  const creation = new ShareCreation(deps);
  return async (context) => {
    const { request, response, form, account, shell } = context;
    const chosen = await chosenForShare(deps.photos, context);
    if ('problem' in chosen) {
      sendRedirect(response, chosen.problem);
      return;
    }
    const about = await shareable(creation, context, chosen.ids);
    if (about === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const days = form?.get('days') ?? undefined;
    const entry = {
      days: Number(days ?? DEFAULT_SHARE_DAYS),
      password: form?.get('password') ?? '',
      watermark: form?.get('watermark') === '1',
    };
    const show = (status: number, problem: Message | undefined): void => {
      sendPage(context, status, newSharePage(shell, { ...about, entry, problem }));
    };
    const problem = entryProblem(entry);
    if (days === undefined || problem !== undefined) {
      show(problem === undefined ? 200 : 400, problem);
      return;
    }
    const made = await creation.create(
      about,
      entry,
      { accountId: account.id },
      { request, response },
    );
    if (made === 'busy') {
      response.setHeader('Retry-After', String(BUSY_RETRY_SECONDS));
      show(503, message('shareBusy'));
    } else if (made === 'no member') {
      sendPage(context, 404, notFoundPage());
    } else if (made === 'full') {
      show(400, message('tooManyShares', { max: MAX_SHARES }));
    } else {
      const link = deps.baseUrl + SHARES.shared(made.token);
      const share = await deps.shares.find(made.id);
      if (share === undefined) {
        sendPage(context, 404, notFoundPage());
        return;
      }
      const again = formAddress(about.target);
      sendPage(context, 201, shareMadePage(shell, link, { share, again }));
    }
  };
}

/** The photos or the project that the request is about, if the user may share them. */
async function shareable(
  creation: ShareCreation,
  { form, query, account, memberships }: AuthenticatedRequest,
  ids: readonly string[],
): Promise<Shareable | undefined> {
  const given = form ?? query;
  const sharer = { accountId: account.id, memberships };
  return ids.length > 0
    ? creation.photos(ids, sharer)
    : creation.project(given.get('project') ?? '', sharer);
}

function newSharePage(
  shell: PageShell,
  {
    target,
    name,
    workspace,
    entry,
    problem,
  }: Shareable & { readonly entry: ShareEntry; readonly problem: Message | undefined },
): Page {
  return renderShell(
    'newShare',
    'shares',
    shell,
    (translator) =>
      html`<h1>${translator.t('newShare')}</h1>
        <p>${targetText(translator, { target, name })}</p>
        <p class="soft">${translator.html('inWorkspace', { workspace: workspace.name })}</p>
        ${errorBox(translator, problem)}
        <form method="post" action="${SHARES.new}">
          ${csrfField(shell)} ${targetFields(target)}
          <fieldset class="days">
            <legend>${translator.t('shareWorksFor')}</legend>
            ${SHARE_DAYS.map(
              (days) =>
                html`<label class="option">
                  <input
                    type="radio"
                    name="days"
                    value="${String(days)}"
                    ${checkedAttr(days === entry.days)}
                  />
                  ${translator.duration({ amount: days, unit: 'day' })}
                </label>`,
            )}
          </fieldset>
          ${passwordField(translator, entry.password, 'sharePassword')}
          ${watermarkField(translator, entry.watermark)}
          <button type="submit">${translator.t('createShare')}</button>
        </form>`,
  );
}

/** Where to share the same again. Many photos have no address that short: their list does. */
function formAddress(target: NewShareTarget): string {
  const [photo, ...others] = target.kind === 'photos' ? target.ids : [];
  if (others.length > 0) {
    return PHOTOS.root;
  }
  const query =
    photo === undefined && target.kind === 'project'
      ? { project: target.id }
      : { photo: photo ?? '' };
  return `${SHARES.new}?${new URLSearchParams(query).toString()}`;
}

function targetText(
  translator: Translator,
  { target, name }: Pick<Shareable, 'target' | 'name'>,
): Html | string {
  if (target.kind === 'photos' && target.ids.length > 1) {
    return translator.t('newShareOfPhotos', { count: target.ids.length });
  }
  return translator.html(target.kind === 'photos' ? 'newShareOfPhoto' : 'newShareOfProject', {
    name: html`<strong>${verbatim(name)}</strong>`,
  });
}

function targetFields(target: NewShareTarget): readonly Html[] {
  return target.kind === 'photos'
    ? target.ids.map((id) => html`<input type="hidden" name="photo" value="${id}" />`)
    : [html`<input type="hidden" name="project" value="${target.id}" />`];
}

/** Shows the new link. */
function shareMadePage(
  shell: PageShell,
  link: string,
  made: { readonly share: Share; readonly again: string },
): Page {
  const { share, again } = made;
  const list = `${SHARES.root}?${new URLSearchParams({ workspace: share.workspace.id }).toString()}`;
  return renderShell(
    'shareMade',
    'shares',
    shell,
    (translator) =>
      html`<h1>${translator.t('shareMade')}</h1>
        <p>${targetLink(translator, share)}</p>
        ${addressField(translator, 'secret', link)}
        <p class="capital">
          ${translator.html('expires', { time: translator.time(share.expiresAt) })}
        </p>
        ${
          share.passwordHash === undefined
            ? undefined
            : html`<p>${translator.t('shareMadePassword')}</p>`
        }
        <p class="actions">
          <a class="button" href="${list}">${translator.t('done')}</a>
          <a class="button quiet" href="${SHARES.share(share.id)}">${translator.t('shareEdit')}</a>
          <a class="button quiet" href="${again}">${translator.t('shareAnother')}</a>
        </p>`,
  );
}
