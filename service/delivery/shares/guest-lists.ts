import type { PageShell } from '../../identity/index.js';
import { csrfField } from '../../kernel/html/form-fields.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { MAX_GUEST_NAME, type ListedGuest, type Removal } from '../../library/index.js';
import { SHARES } from '../../site/addresses/share-paths.js';
import { picks } from './answer-lists.js';
import type { GUEST_ACTIONS } from './change-guests.js';
import type { Share } from './share.js';
import { addressField } from './share-components.js';
import { PAGE_SIZE, type ShownAnswers } from './shown-answers.js';

/** The forms of the page: a button, or more fields. */
export class GuestForms {
  constructor(
    private readonly translator: Translator,
    private readonly shell: PageShell,
    private readonly share: Share,
  ) {}

  button(name: (typeof GUEST_ACTIONS)[number], value: string, label: PlainKey): Html {
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

export function feedbackForm(translator: Translator, forms: GuestForms, share: Share): Html {
  const isOpen = share.takesFeedback;
  return html`<p class="soft">${translator.t(isOpen ? 'feedbackIsOpen' : 'feedbackIsClosed')}</p>
    ${forms.button('feedback', isOpen ? 'closed' : 'open', isOpen ? 'feedbackClose' : 'feedbackReopen')}`;
}

/** Removes all guests whom the studio does not know, at once. */
export function unknownGuests(
  translator: Translator,
  forms: GuestForms,
  { unknown }: ShownAnswers,
): Html | undefined {
  return unknown < 2
    ? undefined
    : html`<p class="soft">${translator.t('guestsUnknown', { count: unknown })}</p>
        ${forms.button('unknown', 'remove', 'guestsUnknownRemove')}`;
}

export function guestSection(
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
  return picks(
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

export function removedItem(
  translator: Translator,
  forms: GuestForms,
  { id, guests }: Removal,
): Html {
  const names = guests.slice(0, MAX_NAMES);
  const more = guests.length - names.length;
  return html`<li>
    ${names.map(({ name }, index) => html`${index === 0 ? '' : ', '}${verbatim(name)}`)}
    ${more === 0 ? undefined : html`· ${translator.t('mailFeedbackMore', { count: more })}`}
    ${forms.button('restore', id, 'undo')}
  </li>`;
}

export function inviteForm(translator: Translator, forms: GuestForms): Html {
  return html`<section id="invited">
    ${forms.form(
      html`<label for="invite">${translator.t('guestInvite')}</label>
        <input id="invite" name="invite" maxlength="${String(MAX_GUEST_NAME)}" required />
        <p class="small soft">${translator.t('guestInviteText')}</p>
        <button type="submit">${translator.t('guestInviteMake')}</button>`,
    )}
  </section>`;
}

export function guestPager(
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
export function finishList(
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
export function mailForm(translator: Translator, forms: GuestForms, mails: boolean): Html {
  return html`<p class="soft">
      ${translator.t(mails ? 'feedbackMailsComeText' : 'feedbackMailsEndedText')}
    </p>
    ${forms.button('mails', mails ? 'off' : 'on', mails ? 'feedbackMailsEnd' : 'feedbackMailsStart')}`;
}
