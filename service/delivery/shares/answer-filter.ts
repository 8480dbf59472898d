import { selectedAttr } from '../../kernel/html/form-fields.js';
import { html, type Html } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import {
  labelName,
  LABELS,
  type AnswerKind,
  type LabelNames,
  type ListedGuest,
  type ShareFilter,
} from '../../library/index.js';

/** What the answers of a link are limited to, as addresses have it; empty members do not limit them. */
export interface AnswerFilter {
  /** A kind, with `.` and its number for stars and labels, such as `stars.4`. */
  readonly answer: string;
  /** The id of the guest. */
  readonly guest: string;
  readonly state: '' | 'open' | 'done';
}

const KINDS: Readonly<Record<string, readonly AnswerKind[]>> = {
  favourite: ['favourite'],
  stars: ['stars'],
  label: ['label'],
  decision: ['approval', 'changes'],
  approval: ['approval'],
  changes: ['changes'],
  comment: ['comment'],
};

/** Reads the filter of an address. What it does not have, or what cannot be read, does not limit the answers. */
export function readAnswerFilter(query: URLSearchParams): AnswerFilter {
  const answer = query.get('answer') ?? '';
  const guest = query.get('guest') ?? '';
  const state = query.get('state');
  const [kind = '', number] = answer.split('.');
  const isNumbered = kind === 'stars' || kind === 'label';
  const isKind =
    Object.hasOwn(KINDS, kind) &&
    (number === undefined ||
      (isNumbered && /^[1-5]$/.test(number) && answer === `${kind}.${number}`));
  return {
    answer: isKind ? answer : '',
    guest: /^[\w-]{1,64}$/.test(guest) ? guest : '',
    state: state === 'open' || state === 'done' ? state : '',
  };
}

/** The filter as the table takes it. */
export function shareFilterOf({ answer, guest, state }: AnswerFilter): ShareFilter {
  const [kind = '', number] = answer.split('.');
  return {
    kinds: KINDS[kind],
    value: number === undefined ? undefined : Number(number),
    guestId: guest === '' ? undefined : guest,
    state: state === '' ? undefined : state,
  };
}

/** The filter as the query of an address, with its question mark; empty without a filter. */
export function queryOf(filter: AnswerFilter): string {
  const set = Object.entries(filter).filter(([, value]) => value !== '');
  return set.length === 0 ? '' : `?${new URLSearchParams(set).toString()}`;
}

/** The fields that limit the answers of a link. The filter is in the address, so the form works without scripts. */
export function answerFilterForm(
  translator: Translator,
  {
    address,
    filter,
    guests,
    labels,
  }: {
    readonly address: string;
    readonly filter: AnswerFilter;
    readonly guests: readonly ListedGuest[];
    readonly labels: LabelNames;
  },
): Html {
  const stars = [5, 4, 3, 2, 1].map((count) => ({
    value: `stars.${count}`,
    words: translator.t(count === 5 ? 'starsGiven' : 'starsOrMore', { count }),
  }));
  const colours = LABELS.map(({ number }) => ({
    value: `label.${number}`,
    words: labelName(translator, labels, number),
  }));
  return html`<form method="get" action="${address}" class="answer-filter">
    ${choice('answer', translator.t('answerKind'), filter.answer, [
      { value: '', words: translator.t('anyAnswer') },
      { value: 'favourite', words: translator.t('favourites') },
      { value: 'stars', words: translator.t('stars') },
      ...stars,
      { value: 'label', words: translator.t('colours') },
      ...colours,
      { value: 'decision', words: translator.t('decisions') },
      { value: 'approval', words: translator.t('approvals') },
      { value: 'changes', words: translator.t('changesRequested') },
      { value: 'comment', words: translator.t('comments') },
    ])}
    ${choice('guest', translator.t('guest'), filter.guest, [
      { value: '', words: translator.t('anyAnswer') },
      ...guests.map(({ id, name }) => ({ value: id, words: name })),
    ])}
    ${choice('state', translator.t('state'), filter.state, [
      { value: '', words: translator.t('anyAnswer') },
      { value: 'open', words: translator.t('stateOpen') },
      { value: 'done', words: translator.t('commentDone') },
    ])}
    <button type="submit" class="quiet">${translator.t('apply')}</button>
    ${queryOf(filter) === '' ? undefined : html`<a href="${address}">${translator.t('showAll')}</a>`}
  </form>`;
}

function choice(
  name: string,
  label: string,
  chosen: string,
  options: readonly { readonly value: string; readonly words: string }[],
): Html {
  const isName = name === 'guest';
  return html`<label
    >${label}
    <select name="${name}" ${isName ? html`translate="no"` : undefined}>
      ${options.map(
        ({ value, words }) =>
          html`<option value="${value}" ${selectedAttr(value === chosen)}>${words}</option>`,
      )}
    </select>
  </label>`;
}
