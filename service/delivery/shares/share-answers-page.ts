import { canEdit, renderShell, type PageShell, type PageHandler } from '../../identity/index.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Page } from '../../kernel/html/layout.js';
import { notFoundPage } from '../../site/error-pages.js';
import { sendPage, sendRedirect } from '../../kernel/http/responses.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import {
  commentButtons,
  commentHead,
  guestNameOf,
  isTimed,
  labelName,
  LABELS,
  MARKER_FORMAT_NAMES,
  MAX_GUEST_NAME,
  pictureImage,
  replyOf,
  type FeedbackTable,
  type GuestAddresses,
  type GuestTable,
  type LabelNames,
  type LabelTable,
  type Listed,
  type ListedGuest,
  type Photo,
  type PhotoTable,
  type Removal,
} from '../../library/index.js';
import type { DigestTable, Finish } from '../digests/index.js';
import type { SubscriptionTable } from '../replies/index.js';
import { reviewerList, reviewerStates, type ReviewerState, type Round } from '../rounds/index.js';
import {
  answerFilterForm,
  queryOf,
  readAnswerFilter,
  shareFilterOf,
  type AnswerFilter,
} from './answer-filter.js';
import type { GuestCookie } from './guest-cookie.js';
import { removeGuests, restoreGuests, type GuestRemovalDeps } from './guest-removal.js';
import { titleOf } from './public-share-gallery.js';
import type { OpenShare, Share } from './share.js';
import { ShareChanges } from './share-changes.js';
import { ShareContents } from './share-contents.js';
import { addressField } from './share-components.js';
import { changeable, type ShareListDeps } from './share-list.js';

/** How many guests a page shows. */
const PAGE_SIZE = 20;

/** How many guests the filter offers. */
const MAX_CHOICES = 200;

export interface ShareAnswersDeps extends ShareListDeps, GuestRemovalDeps {
  readonly photos: PhotoTable;
  readonly answers: FeedbackTable;
  readonly guestAddresses: GuestAddresses;
  readonly guestList: GuestTable;
  readonly digests: DigestTable;
  readonly subscriptions: SubscriptionTable;
  readonly guests: GuestCookie;
  readonly labels: LabelTable;
}

/** Shows what the guests of a link said, to those who may change the link. */
export function shareAnswers(deps: ShareAnswersDeps): PageHandler {
  const contents = new ShareContents(deps.photos);
  const { shares, answers, digests, guestList, guests, photos } = deps;
  return async (context) => {
    const share = await changeable(shares, context, context.id);
    if (share === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const filter = readAnswerFilter(context.query);
    const isFiltered = queryOf(filter) !== '';
    const wanted = context.query.get('from') ?? '';
    const from = /^\d{1,6}$/.test(wanted) ? Number(wanted) : 0;
    const listed = await guestList.of(share.id, { from, limit: PAGE_SIZE + 1 });
    const page = listed.slice(0, PAGE_SIZE);
    const unknown = await guestList.unknown(share.id);
    const isCreator = share.creatorId === context.account.id;
    const round = await deps.rounds.of(share.id);
    const address = deps.baseUrl + SHARES.shared(shares.tokenOf(share.id));
    const found = isFiltered
      ? await answers.ofShare(share.id, shareFilterOf(filter))
      : await answers.ofGuests(
          share.id,
          page.map(({ id }) => id),
        );
    const comments = found.filter(({ kind }) => kind === 'comment');
    const commented = [...new Set(comments.map(({ currentId }) => currentId))];
    const shown: ShownAnswers = {
      guests: page,
      filter,
      choices: await guestList.of(share.id, { from: 0, limit: MAX_CHOICES }),
      photos: new Map((await photos.several(commented)).map((photo) => [photo.id, photo])),
      canEdit: (photo) => canEdit(photo, context.account.id, context.memberships),
      from,
      hasMore: listed.length > PAGE_SIZE,
      unknown: unknown.length,
      answers: found,
      labels: await deps.labels.of(share.workspace.id),
      decision: round && {
        round,
        states: await reviewerStates(deps, round, await contents.files(share)),
      },
      removals: await guestList.removals(share.id),
      finishes: await digests.finishesOf(share.id),
      mailed: await deps.subscriptions.guestsOf(share.id),
      mails: isCreator ? await digests.wantsMails(share.creatorId, share.id) : undefined,
      addressOf: isCreator
        ? (guest) => `${address}?guest=${guests.invitation(share, guest)}`
        : undefined,
    };
    const view = isFiltered ? filteredAnswersPage : shareAnswersPage;
    sendPage(context, 200, view(context.shell, share, shown));
  };
}

/**
 * Changes what the page has buttons for: the guests of a link, whether it takes answers, and the mails to its creator.
 */
export function changeGuests(deps: ShareAnswersDeps): PageHandler {
  const changes = new ShareChanges(deps);
  return async (context) => {
    const { request, response, account } = context;
    const form = context.form ?? new URLSearchParams();
    const share = await changeable(deps.shares, context, context.id);
    const action = ACTIONS.find((name) => form.has(name));
    const subject = action === undefined ? '' : (form.get(action) ?? '');
    if (share === undefined || action === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const user = { accountId: account.id };
    const by = { user, response };
    const back = (rest = ''): void => {
      sendRedirect(response, SHARES.answersOf(share.id) + rest);
    };
    if (action === 'feedback') {
      const edit = { takesFeedback: subject === 'open' };
      await changes.change(share, edit, user, { request, response });
      back();
    } else if (action === 'unknown') {
      const { guestList, digests } = deps;
      const unknown = await guestList.unknown(share.id);
      const finished = (await digests.finishesOf(share.id)).map(({ guest }) => guest);
      const known = new Set((await guestList.known(share.id)).map(({ id }) => id));
      const others = [...unknown, ...finished].filter(({ id }) => !known.has(id));
      await removeGuests(deps, share, others, by);
      back('#removed');
    } else if (action === 'remove') {
      const guest = { id: subject, name: await nameOf(deps, share, subject) };
      if (guest.name !== '') {
        await removeGuests(deps, share, [guest], by);
      }
      back('#removed');
    } else if (action === 'restore') {
      await restoreGuests(deps, share, subject, by);
      back();
    } else if (action === 'known') {
      await deps.guestList.confirm(share.id, subject);
      back();
    } else if (share.creatorId !== account.id) {
      sendPage(context, 404, notFoundPage());
    } else if (action === 'invite') {
      const name = guestNameOf(subject);
      const invited = name === undefined ? undefined : await deps.guestList.invite(share.id, name);
      back(name !== undefined && invited === undefined ? '?flash=guestsAreFull' : '#invited');
    } else {
      const isEnd = subject === 'off';
      await (isEnd
        ? deps.digests.optOut(account.id, share.id)
        : deps.digests.optIn(account.id, share.id));
      back(`?flash=${isEnd ? 'feedbackMailsOff' : 'feedbackMailsOn'}`);
    }
  };
}

const ACTIONS = ['feedback', 'unknown', 'remove', 'restore', 'known', 'invite', 'mails'] as const;

/** The name of a guest who answered or has finished; empty without one. */
async function nameOf(
  { guestList, digests }: ShareAnswersDeps,
  { id: shareId }: Share,
  guestId: string,
): Promise<string> {
  const guest =
    (await guestList.find(shareId, guestId)) ?? (await digests.finishOf(shareId, guestId))?.guest;
  return guest?.name ?? '';
}

/** What the page shows. */
interface ShownAnswers {
  readonly guests: readonly ListedGuest[];
  readonly filter: AnswerFilter;
  /** The guests whom the filter offers. */
  readonly choices: readonly ListedGuest[];
  /** Those with comments, by the ids of their current versions. */
  readonly photos: ReadonlyMap<string, Photo>;
  readonly canEdit: (photo: Photo) => boolean;
  /** How many guests are on earlier pages. */
  readonly from: number;
  readonly hasMore: boolean;
  /** How many guests the studio does not know. */
  readonly unknown: number;
  /** Those of the guests. */
  readonly answers: readonly Listed[];
  readonly labels: LabelNames;
  /** Undefined where the link asks for none. */
  readonly decision:
    | { readonly round: Round; readonly states: readonly ReviewerState[] }
    | undefined;
  readonly removals: readonly Removal[];
  readonly finishes: readonly Finish[];
  /** The ids of the guests who get replies by mail. */
  readonly mailed: ReadonlySet<string>;
  /** Whether the creator gets mails; undefined for another user. */
  readonly mails: boolean | undefined;
  /** The address of an invited guest. Only the creator gets it, see {@link shareList}. */
  readonly addressOf: ((guest: ListedGuest) => string) | undefined;
}

function shareAnswersPage(shell: PageShell, share: OpenShare, shown: ShownAnswers): Page {
  const { guests, removals, mails } = shown;
  const content = (translator: Translator): Html => {
    const forms = new GuestForms(translator, shell, share);
    return html`<h1>${translator.t('answersOfClients')}: ${verbatim(titleOf(share))}</h1>
      ${feedbackForm(translator, forms, share)}
      ${mails === undefined ? undefined : mailForm(translator, forms, mails)}
      ${
        guests.length === 0
          ? html`<p>${translator.t('noAnswersYet')}</p>`
          : selection(translator, share, shown)
      }
      ${shown.decision && reviewerList(translator, shown.decision.round, shown.decision.states)}
      ${finishList(translator, forms, shown)} ${unknownGuests(translator, forms, shown)}
      ${
        guests.length > 1 ? group(translator, html`${translator.t('everybody')}`, shown) : undefined
      }
      ${guests.map((guest) => guestSection(translator, forms, guest, shown))}
      ${guestPager(translator, share, shown)} ${commentList(translator, shell, share, shown)}
      ${
        removals.length === 0
          ? undefined
          : html`<section id="removed">
              <h2>${translator.t('guestsRemoved')}</h2>
              <p class="soft">${translator.t('guestsRemovedText')}</p>
              <ul class="cards">
                ${removals.map((removal) => removedItem(translator, forms, removal))}
              </ul>
            </section>`
      }
      ${shown.addressOf === undefined ? undefined : inviteForm(translator, forms)}
      ${
        share.workspace.role === 'owner'
          ? html`<p>
              <a href="${`${SHARES.labels}?workspace=${share.workspace.id}`}"
                >${translator.t('labelNames')}</a
              >
            </p>`
          : undefined
      }`;
  };
  return renderShell('answersOfClients', 'shares', shell, content, { showsPictures: true });
}

/** What fits the filter: its file names, its comments, and the guest to whom it is limited. */
function filteredAnswersPage(shell: PageShell, share: OpenShare, shown: ShownAnswers): Page {
  const { answers, choices, filter } = shown;
  const chosen = choices.find(({ id }) => id === filter.guest);
  return renderShell(
    'answersOfClients',
    'shares',
    shell,
    (translator) =>
      html`<h1>${translator.t('answersOfClients')}: ${verbatim(titleOf(share))}</h1>
        ${selection(translator, share, shown)}
        ${
          answers.length === 0
            ? html`<p>${translator.t('noAnswerFits')}</p>`
            : html`<section class="picks">
                ${names(translator, translator.t('namesForLightroom'), answers)}
              </section>`
        }
        ${
          chosen === undefined
            ? undefined
            : guestSection(translator, new GuestForms(translator, shell, share), chosen, shown)
        }
        ${commentList(translator, shell, share, shown)}`,
    { showsPictures: true },
  );
}

/** The filter, and the ways to take away what fits it. */
function selection(
  translator: Translator,
  { id }: Share,
  { filter, choices, labels, answers }: ShownAnswers,
): Html {
  const address = SHARES.answersOf(id);
  const query = queryOf(filter);
  return html`${answerFilterForm(translator, { address, filter, guests: choices, labels })}
    <p class="exports">
      <a href="${SHARES.exportOf(id, 'csv')}${query}">${translator.t('exportCsv')}</a>
      <a href="${SHARES.exportOf(id, 'txt')}${query}">${translator.t('exportText')}</a>
      <a href="${SHARES.contactSheet(id)}${query}">${translator.t('contactSheet')}</a>
    </p>
    ${markerLinks(translator, id, filter, answers)}`;
}

/** The films with comments at a time, each as markers for editing programs. */
function markerLinks(
  translator: Translator,
  link: string,
  { state }: AnswerFilter,
  answers: readonly Listed[],
): Html | undefined {
  const films = new Map(
    answers.filter(isTimed).map(({ currentId, photoName }) => [currentId, photoName]),
  );
  return films.size === 0
    ? undefined
    : html`<details>
        <summary>${translator.t('markers')}</summary>
        <p class="soft small">${translator.t('markersText')}</p>
        <ul>
          ${[...films].map(
            ([id, name]) =>
              html`<li>
                <a href="${PHOTOS.photo(id)}#markers">${verbatim(name)}</a>
                <span class="exports"
                  >${MARKER_FORMAT_NAMES.map(({ format, name: formatName }) => {
                    const query = new URLSearchParams({ format, link, ...(state && { state }) });
                    return html`<a href="${PHOTOS.markers(id)}?${query.toString()}"
                      >${formatName}</a
                    > `;
                  })}</span
                >
              </li>`,
          )}
        </ul>
      </details>`;
}

/** The comments, each beside its picture, with a link to its place. */
function commentList(
  translator: Translator,
  shell: PageShell,
  share: Share,
  { answers, filter, photos, canEdit: mayEdit }: ShownAnswers,
): Html | undefined {
  const comments = answers.filter((answer) => answer.kind === 'comment');
  const here = SHARES.answersOf(share.id) + queryOf(filter);
  return comments.length === 0
    ? undefined
    : html`<section class="answers">
        <h2>${translator.t('comments')}</h2>
        <ol class="comments beside-pictures">
          ${comments.map((comment) => {
            const photo = photos.get(comment.currentId);
            const address = PHOTOS.photo(comment.photoId);
            const anchor = `comment-${comment.id}`;
            return html`<li id="${anchor}">
              <a class="picture" href="${address}" tabindex="-1" aria-hidden="true"
                >${photo && pictureImage(photo, { sizes: '120px' })}</a
              >
              <div>
                <p><a href="${address}#answers">${verbatim(comment.photoName)}</a></p>
                ${commentHead(translator, comment, [], address)}
                <p class="text"><bdi>${comment.text}</bdi></p>
                ${replyOf(translator, comment)}
                ${
                  photo && mayEdit(photo)
                    ? html`<form method="post" action="${PHOTOS.answers(comment.currentId)}">
                        ${csrfField(shell)}
                        <input type="hidden" name="back" value="${here}#${anchor}" />
                        ${commentButtons(translator, comment)}
                      </form>`
                    : undefined
                }
              </div>
            </li>`;
          })}
        </ol>
      </section>`;
}

/** The forms of the page: a button, or more fields. */
class GuestForms {
  constructor(
    private readonly translator: Translator,
    private readonly shell: PageShell,
    private readonly share: Share,
  ) {}

  button(name: (typeof ACTIONS)[number], value: string, label: PlainKey): Html {
    return this.form(
      html`<button type="submit" class="quiet small" name="${name}" value="${value}">
        ${this.translator.t(label)}
      </button>`,
    );
  }

  form(content: Html): Html {
    return html`<form method="post" action="${SHARES.answersOf(this.share.id)}">
      ${csrfField(this.shell)} ${content}
    </form>`;
  }
}

function feedbackForm(translator: Translator, forms: GuestForms, share: Share): Html {
  const isOpen = share.takesFeedback;
  return html`<p class="soft">${translator.t(isOpen ? 'feedbackIsOpen' : 'feedbackIsClosed')}</p>
    ${forms.button('feedback', isOpen ? 'closed' : 'open', isOpen ? 'feedbackClose' : 'feedbackReopen')}`;
}

/** Removes all guests whom the studio does not know, at once. */
function unknownGuests(
  translator: Translator,
  forms: GuestForms,
  { unknown }: ShownAnswers,
): Html | undefined {
  return unknown < 2
    ? undefined
    : html`<p class="soft">${translator.t('guestsUnknown', { count: unknown })}</p>
        ${forms.button('unknown', 'remove', 'guestsUnknownRemove')}`;
}

function guestSection(
  translator: Translator,
  forms: GuestForms,
  guest: ListedGuest,
  { answers, labels, addressOf, mailed }: ShownAnswers,
): Html {
  const name = verbatim(guest.name);
  const heading = guest.isKnown
    ? html`${name} <span class="known">${translator.t('guestKnown')}</span>`
    : name;
  const address = guest.isInvited ? addressOf?.(guest) : undefined;
  return group(
    translator,
    heading,
    { answers: answers.filter((answer) => answer.guest.id === guest.id), labels },
    html`${
        mailed.has(guest.id)
          ? html`<p class="soft small">${translator.t('guestGetsReplies')}</p>`
          : undefined
      }
      ${
        address === undefined
          ? undefined
          : html`<p class="soft small">${translator.html('guestAddress', { name })}</p>
              ${addressField(translator, `address-${guest.id}`, address)}`
      }
      <div class="buttons">
        ${guest.isKnown ? undefined : forms.button('known', guest.id, 'guestKeep')}
        ${forms.button('remove', guest.id, 'guestRemove')}
      </div>`,
  );
}

/** How many names of one removal the page shows. */
const MAX_NAMES = 10;

function removedItem(translator: Translator, forms: GuestForms, { id, guests }: Removal): Html {
  const names = guests.slice(0, MAX_NAMES);
  const more = guests.length - names.length;
  return html`<li>
    ${names.map(({ name }, index) => html`${index === 0 ? '' : ', '}${verbatim(name)}`)}
    ${more === 0 ? undefined : html`· ${translator.t('mailFeedbackMore', { count: more })}`}
    ${forms.button('restore', id, 'undo')}
  </li>`;
}

function inviteForm(translator: Translator, forms: GuestForms): Html {
  return html`<section id="invited">
    ${forms.form(
      html`<label for="invite">${translator.t('guestInvite')}</label>
        <input id="invite" name="invite" maxlength="${String(MAX_GUEST_NAME)}" required />
        <p class="small soft">${translator.t('guestInviteText')}</p>
        <button type="submit">${translator.t('guestInviteMake')}</button>`,
    )}
  </section>`;
}

function guestPager(
  translator: Translator,
  { id }: Share,
  { from, hasMore }: ShownAnswers,
): Html | undefined {
  return from === 0 && !hasMore
    ? undefined
    : html`<p class="pager always">
        ${
          from === 0
            ? undefined
            : html`<a class="button quiet" href="${SHARES.answersOf(id)}"
                >${translator.t('firstGuests')}</a
              >`
        }
        ${
          hasMore
            ? html`<a
                class="button quiet"
                href="${`${SHARES.answersOf(id)}?from=${from + PAGE_SIZE}`}"
                >${translator.t('moreGuests')}</a
              >`
            : undefined
        }
      </p>`;
}

/** Who has finished, and their sentences. */
function finishList(
  translator: Translator,
  forms: GuestForms,
  { finishes, guests }: ShownAnswers,
): Html | undefined {
  const listed = new Set(guests.map(({ id }) => id));
  return finishes.length === 0
    ? undefined
    : html`<ul class="finishes">
        ${finishes.map(
          ({ guest, sentence, at }) =>
            html`<li>
              ${translator.html('guestHasFinished', { guest: verbatim(guest.name) })}
              <span class="soft small">${translator.time(at)}</span>
              ${sentence === undefined ? undefined : html`<p class="text"><bdi>${sentence}</bdi></p>`}
              ${listed.has(guest.id) ? undefined : forms.button('remove', guest.id, 'guestRemove')}
            </li>`,
        )}
      </ul>`;
}

/** The button that ends the mails about the link to its creator, or lets them come again. */
function mailForm(translator: Translator, forms: GuestForms, mails: boolean): Html {
  return html`<p class="soft">
      ${translator.t(mails ? 'feedbackMailsComeText' : 'feedbackMailsEndedText')}
    </p>
    ${forms.button('mails', mails ? 'off' : 'on', mails ? 'feedbackMailsEnd' : 'feedbackMailsStart')}`;
}

/** The favourites and approvals of one guest, or of all, with the file names to copy. */
function group(
  translator: Translator,
  heading: Html,
  { answers, labels }: { readonly answers: readonly Listed[]; readonly labels: LabelNames },
  form?: Html,
): Html {
  const of = (kind: Listed['kind']): Listed[] => answers.filter((answer) => answer.kind === kind);
  const stars = answers.filter((answer) => answer.kind === 'stars');
  const labelled = answers.filter((answer) => answer.kind === 'label');
  return html`<section class="picks">
    <h2>${heading}</h2>
    ${names(translator, translator.t('favourites'), of('favourite'))}
    ${names(translator, translator.t('approvals'), of('approval'))}
    ${names(translator, translator.t('changesRequested'), of('changes'))}
    ${[5, 4, 3, 2, 1].map(
      (count) =>
        html`${names(
          translator,
          translator.t('starsGiven', { count }),
          stars.filter(({ value }) => value === count),
        )}`,
    )}
    ${LABELS.map(
      ({ number }) =>
        html`${names(
          translator,
          labelName(translator, labels, number),
          labelled.filter(({ value }) => value === number),
        )}`,
    )}
    ${form}
  </section>`;
}

/** File names without extensions, as Lightroom searches for them. Raw files and their JPEGs have these in common. */
function names(
  translator: Translator,
  label: string,
  answers: readonly Listed[],
): Html | undefined {
  const photos = new Map(answers.map(({ photoId, photoName }) => [photoId, photoName]));
  const stems = [...new Set([...photos.values()].map((name) => name.replace(/\.[^.]{1,5}$/, '')))];
  const field = (how: PlainKey, text: string, rows: number): Html =>
    html`<label
      >${translator.t(how)}
      <textarea readonly rows="${String(rows)}" spellcheck="false">${text}</textarea>
    </label>`;
  return stems.length === 0
    ? undefined
    : html`<details open>
        <summary><strong>${label}</strong> (${String(photos.size)})</summary>
        <div class="fields">
          <div>${field('namesInLine', stems.join(', '), 3)}</div>
          <div>${field('namesByLine', stems.join('\n'), 3)}</div>
        </div>
        <button type="button" class="quiet small copy" hidden data-done="${translator.t('copied')}">
          ${translator.t('copyFileNames')}
        </button>
      </details>`;
}
