import {
  visibilityOf,
  renderShell,
  type PageShell,
  type PageHandler,
} from '../../identity/index.js';
import { html, type Html } from '../../kernel/html-tag.js';
import { notFoundPage } from '../../site/error-pages.js';
import { checkedAttr, csrfField } from '../../kernel/html/form-fields.js';
import { errorBox, type Page } from '../../kernel/html/layout.js';
import { sendPage } from '../../kernel/http/responses.js';
import type { Language } from '../../kernel/i18n/locale-negotiation.js';
import { message, type Message, type PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import {
  pictureImage,
  type GuestAddresses,
  type Photo,
  type PhotoTable,
} from '../../library/index.js';
import {
  decisionFields,
  formatReviewers,
  parseReviewers,
  type DecisionEntry,
  type Round,
} from '../rounds/index.js';
import {
  MAX_LIMITS,
  MAX_SHARE_DAYS,
  MAX_SHARE_MESSAGE,
  MAX_SHARE_TITLE,
  SHARE_DOWNLOADS,
  downloadsOf,
  type OpenShare,
  type ShareDownloads,
} from './share.js';
import { ShareChanges, type ShareEdit } from './share-changes.js';
import { passwordField, targetLink, watermarkField } from './share-components.js';
import { changeable, toList, type ShareListDeps } from './share-list.js';
import { BUSY_RETRY_SECONDS } from './share-passwords.js';

/** How many photos of a link are offered as its cover. */
const COVERS = 60;

const DAY_MS = 24 * 3_600_000;

export interface EditShareDeps extends ShareListDeps {
  readonly photos: Pick<PhotoTable, 'findCurrent' | 'several' | 'page'>;
  readonly guestAddresses: GuestAddresses;
}

/** The decision that the form shows: as it is stored, or as it was typed. */
interface ShownDecision extends DecisionEntry {
  readonly round: Round | undefined;
}

/** Shows the form of a link. */
export function editShare(deps: EditShareDeps): PageHandler {
  return async (context) => {
    const share = await changeable(deps.shares, context, context.id);
    if (share === undefined || share.revokedAt !== undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const covers = await coversOf(deps.photos, share);
    const round = await deps.rounds.of(share.id);
    const reviewers = formatReviewers(await deps.guestAddresses.reviewers(share.id));
    const decision = { round, isWanted: round !== undefined, reviewers };
    sendPage(context, 200, editPage(context.shell, share, { covers, decision, now: deps.now() }));
  };
}

/** Changes a link. */
export function changeShare(deps: EditShareDeps): PageHandler {
  const changes = new ShareChanges(deps);
  return async (context) => {
    const { request, response, account, shell } = context;
    const form = context.form ?? new URLSearchParams();
    const share = await changeable(deps.shares, context, context.id);
    if (share === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const round = await deps.rounds.of(share.id);
    const edit = editIn(form, { round, locale: context.locale.language });
    const changed =
      'problem' in edit
        ? edit
        : await changes.change(share, edit, { accountId: account.id }, { request, response });
    if (changed === 'changed') {
      toList(context, share, { flash: 'saved' });
      return;
    }
    if (changed === 'gone') {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const isBusy = changed === 'busy';
    if (isBusy) {
      response.setHeader('Retry-After', String(BUSY_RETRY_SECONDS));
    }
    const problem = isBusy ? message('shareBusy') : changed.problem;
    const covers = await coversOf(deps.photos, share);
    const typed = { ...share, ...withoutUndefined('problem' in edit ? undefined : edit) };
    const isWanted = form.get('decision') === '1';
    const decision = { round, isWanted, reviewers: form.get('reviewers') ?? '' };
    const shown = { covers, decision, now: deps.now(), problem };
    sendPage(context, isBusy ? 503 : 400, editPage(shell, typed, shown));
  };
}

function withoutUndefined(edit: ShareEdit | undefined): Partial<OpenShare> {
  const {
    title,
    message: text,
    downloads,
    showsLocation,
    watermark,
    expiresAt,
    ...limits
  } = edit ?? {};
  return {
    ...(title !== undefined && { title }),
    ...(text !== undefined && { message: text }),
    ...(downloads !== undefined && { downloads }),
    ...(showsLocation !== undefined && { showsLocation }),
    ...(watermark !== undefined && { watermark }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(edit !== undefined && {
      takesFeedback: limits.takesFeedback ?? true,
      maxFavourites: limits.maxFavourites,
      maxDownloads: limits.maxDownloads,
    }),
  };
}

/** The content of the form, or why its dates cannot be read. */
function editIn(
  form: URLSearchParams,
  { round, locale }: { readonly round: Round | undefined; readonly locale: Language },
): ShareEdit | { readonly problem: Message } {
  const text = (name: string): string => form.get(name) ?? '';
  const isKept = text('until') === text('until-shown');
  const expiresAt = isKept ? undefined : endOfDay(text('until'), Number(text('until-offset')));
  if (!isKept && expiresAt === undefined) {
    return { problem: message('chooseShareEnd', { days: MAX_SHARE_DAYS }) };
  }
  const isWanted = text('decision') === '1';
  const isSameDay = round !== undefined && text('decide') === text('decide-shown');
  const offset = Number(text('decide-offset'));
  const until = isSameDay ? round.until : endOfDay(text('decide'), offset);
  if (isWanted && until === undefined) {
    return { problem: message('chooseDecisionDay') };
  }
  const chosen = SHARE_DOWNLOADS.find((one) => one === text('downloads'));
  const watermark = text('watermark') === '1';
  const password = text('password');
  return {
    title: text('title'),
    message: text('message'),
    cover: text('cover'),
    ...(chosen !== undefined && { downloads: downloadsOf({ downloads: chosen, watermark }) }),
    showsLocation: text('location') === '1',
    watermark,
    takesFeedback: text('feedback') === '1',
    maxFavourites: limitIn(text('favourites')),
    maxDownloads: limitIn(text('max-downloads')),
    expiresAt,
    decision:
      isWanted && until !== undefined
        ? {
            ...{ until, offset: isSameDay ? round.offset : offset },
            ...{ reviewers: parseReviewers(text('reviewers')), locale },
          }
        : undefined,
    password: form.has('no-password') ? '' : password === '' ? undefined : password,
  };
}

/** A limit of the form; undefined for none. Text that is no number is refused as 0 is. */
function limitIn(text: string): number | undefined {
  const typed = text.normalize('NFKC').trim();
  return typed === '' ? undefined : /^\d{1,9}$/.test(typed) ? Number(typed) : 0;
}

/**
 * The end of a day at a place.
 * @param offset how many minutes the place is behind UTC, as `Date.getTimezoneOffset` returns it; 0 without a script
 */
function endOfDay(day: string, offset: number): Date | undefined {
  const isValid =
    /^\d{4}-\d\d-\d\d$/.test(day) && Number.isInteger(offset) && Math.abs(offset) <= 900;
  const end = isValid ? new Date(`${day}T23:59:59.000Z`).getTime() + offset * 60_000 : Number.NaN;
  return Number.isNaN(end) ? undefined : new Date(end);
}

/** The photos that can be chosen as the cover. */
async function coversOf(
  photos: EditShareDeps['photos'],
  { target, workspace, creatorId, photos: chosen }: OpenShare,
): Promise<readonly Photo[]> {
  if (target.kind === 'photos') {
    return photos.several(chosen.slice(0, COVERS).map(({ id }) => id));
  }
  return photos.page(visibilityOf(workspace, creatorId), {
    order: 'captured',
    filter: { project: target.id },
    from: undefined,
    limit: COVERS,
  });
}

const DOWNLOADS: Readonly<Record<ShareDownloads, PlainKey>> = {
  original: 'downloadsOriginal',
  web: 'downloadsWeb',
  none: 'downloadsNone',
};

function editPage(
  shell: PageShell,
  share: OpenShare,
  {
    covers,
    decision,
    now,
    problem,
  }: {
    readonly covers: readonly Photo[];
    readonly decision: ShownDecision;
    readonly now: Date;
    readonly problem?: Message;
  },
): Page {
  return renderShell(
    'shareEditTitle',
    'shares',
    shell,
    (translator) =>
      html`<h1>${translator.t('shareEditTitle')}</h1>
        <p>${targetLink(translator, share)}</p>
        ${errorBox(translator, problem)}
        <form method="post" action="${SHARES.share(share.id)}">
          ${csrfField(shell)}
          <label for="title">${translator.t('shareTitle')}</label>
          <input
            id="title"
            name="title"
            value="${share.title ?? ''}"
            maxlength="${String(MAX_SHARE_TITLE)}"
            placeholder="${share.target.name}"
          />
          <label for="message">${translator.t('shareMessage')}</label>
          <textarea id="message" name="message" rows="3" maxlength="${String(MAX_SHARE_MESSAGE)}">
${share.message ?? ''}</textarea>
          ${coverFields(translator, share, covers)} ${endField(translator, share, now)}
          ${passwordField(translator, '', share.passwordHash === undefined ? 'sharePassword' : 'shareNewPassword')}
          ${
            share.passwordHash === undefined
              ? undefined
              : option('no-password', translator.t('shareRemovePassword'), false)
          }
          <fieldset>
            <legend>${translator.t('shareDownloads')}</legend>
            ${SHARE_DOWNLOADS.map(
              (one) =>
                html`<label class="option">
                  <input
                    type="radio"
                    name="downloads"
                    value="${one}"
                    ${checkedAttr(one === share.downloads)}
                  />
                  ${translator.t(DOWNLOADS[one])}
                </label>`,
            )}
          </fieldset>
          ${watermarkField(translator, share.watermark)}
          ${option('location', translator.t('shareLocation'), share.showsLocation)}
          ${limitField(translator, 'max-downloads', share.maxDownloads)}
          ${option('feedback', translator.t('shareTakesFeedback'), share.takesFeedback)}
          ${limitField(translator, 'favourites', share.maxFavourites)}
          ${decisionFields(
            translator,
            decision,
            dayField('decide', translator.t('decisionDay'), {
              time: decision.round?.until,
              zoneAt: share.expiresAt,
              now,
              last: share.expiresAt,
            }),
          )}
          <button type="submit">${translator.t('saveChanges')}</button>
        </form>
        <p><a href="${SHARES.revoke(share.id)}">${translator.t('shareRevokeLink')}</a></p>`,
    { showsPictures: true },
  );
}

function option(name: string, label: string, isChosen: boolean): Html {
  return html`<label class="option">
    <input type="checkbox" name="${name}" value="1" ${checkedAttr(isChosen)} />
    ${label}
  </label>`;
}

function limitField(
  translator: Translator,
  name: 'favourites' | 'max-downloads',
  limit: number | undefined,
): Html {
  const isDownloads = name === 'max-downloads';
  const max = isDownloads ? MAX_LIMITS.downloads : MAX_LIMITS.favourites;
  return html`<label for="${name}"
      >${translator.t(isDownloads ? 'shareMaxDownloads' : 'shareMaxFavourites')}</label
    >
    <input
      id="${name}"
      name="${name}"
      type="number"
      inputmode="numeric"
      min="1"
      max="${String(max)}"
      value="${limit === undefined ? '' : String(limit)}"
    />`;
}

function endField(translator: Translator, { expiresAt }: OpenShare, now: Date): Html {
  const last = new Date(now.getTime() + MAX_SHARE_DAYS * DAY_MS);
  return dayField('until', translator.t('shareUntil'), {
    ...{ time: expiresAt, zoneAt: expiresAt, now, last },
    isRequired: true,
  });
}

/** A day, as it is in UTC. The script writes it as it is at the reader's place, and how far that is from UTC. */
function dayField(
  name: string,
  label: string,
  about: {
    /** At the end of the day; undefined for an empty field. */
    readonly time: Date | undefined;
    /** A time at which the place has the distance from UTC that a new day has. */
    readonly zoneAt: Date;
    readonly now: Date;
    readonly last: Date;
    readonly isRequired?: boolean;
  },
): Html {
  const { time, zoneAt, now, last, isRequired = false } = about;
  const day = time === undefined ? '' : dayOf(time);
  return html`<label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="date"
      value="${day}"
      min="${dayOf(time !== undefined && time < now ? time : now)}"
      max="${dayOf(last)}"
      ${isRequired ? html`required` : undefined}
      data-time="${(time ?? zoneAt).toISOString()}"
    />
    <input type="hidden" name="${name}-shown" value="${day}" />
    <input type="hidden" name="${name}-offset" value="0" />`;
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

function coverFields(
  translator: Translator,
  { coverPhotoId }: OpenShare,
  covers: readonly Photo[],
): Html | undefined {
  if (covers.length === 0) {
    return undefined;
  }
  const isOffered = covers.some(({ photoId }) => photoId === coverPhotoId);
  return html`<fieldset class="covers">
    <legend>${translator.t('shareCover')}</legend>
    <ul>
      <li>
        <label>
          <input type="radio" name="cover" value="" ${checkedAttr(coverPhotoId === undefined)} />
          <span>${translator.t('shareNoCover')}</span>
        </label>
      </li>
      ${
        coverPhotoId === undefined || isOffered
          ? undefined
          : html`<li>
              <label>
                <input type="radio" name="cover" value="${coverPhotoId}" checked />
                <span>${translator.t('shareSameCover')}</span>
              </label>
            </li>`
      }
      ${covers.map(
        (photo) =>
          html`<li>
            <label>
              <input
                type="radio"
                name="cover"
                value="${photo.photoId}"
                ${checkedAttr(photo.photoId === coverPhotoId)}
              />
              ${pictureImage(photo, { sizes: '120px', alt: photo.name })}
            </label>
          </li>`,
      )}
    </ul>
  </fieldset>`;
}
