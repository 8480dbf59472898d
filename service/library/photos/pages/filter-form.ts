import { html, type Html, verbatim } from '../../../kernel/html-tag.js';
import type { PlainKey } from '../../../kernel/i18n/message.js';
import type { Translator } from '../../../kernel/i18n/translator.js';
import { selectedAttr } from '../../../kernel/html/form-fields.js';
import { NO_PROJECT, projectOptions, type Project } from '../../projects/index.js';
import { ANSWER_KINDS, type AnswerKind } from '../../feedback/index.js';
import { PHOTO_KINDS, type PhotoKind } from '../data/photo-kind.js';
import {
  addressOf,
  isOneProject,
  MAX_TEXT_LENGTH,
  pageOf,
  parametersOf,
  type PhotoQuery,
} from '../data/photo-query.js';
import { ORDERS, type ListOrder } from '../data/photo-order.js';
import type { Sender } from '../data/photo-table.js';

/** What a list can be limited to. */
interface Choices {
  readonly query: PhotoQuery;
  /** The users to choose from; empty for a user who sees only their own photos. */
  readonly senders: readonly Sender[];
  readonly projects: readonly Project[];
}

const ORDER_WORDS: Readonly<Record<ListOrder, PlainKey>> = {
  'captured-desc': 'sortCapturedLast',
  captured: 'sortCapturedFirst',
  'uploaded-desc': 'sortUploadedLast',
  uploaded: 'sortUploadedFirst',
  name: 'sortNameFirst',
  'name-desc': 'sortNameLast',
};

const KIND_WORDS: Readonly<
  Record<PhotoKind, { readonly name: string } | { readonly key: PlainKey }>
> = {
  jpeg: { name: 'JPEG' },
  png: { name: 'PNG' },
  heic: { name: 'HEIC' },
  tiff: { name: 'TIFF' },
  psd: { name: 'PSD' },
  raw: { name: 'RAW' },
  pdf: { name: 'PDF' },
  video: { key: 'video' },
  other: { key: 'otherType' },
};

/** The menu of the orders: links, so that it works without scripts. */
export function sortMenu(translator: Translator, query: PhotoQuery): Html {
  const { order } = query;
  return html`<details class="menu sort">
    <summary class="button quiet small">${sortWord(translator, order)}</summary>
    <ul>
      ${ORDERS.map(
        (one) =>
          html`<li>
            <a
              href="${addressOf(pageOf(query), query, { order: one })}"
              ${one === order ? html`aria-current="true"` : undefined}
              >${translator.t(ORDER_WORDS[one])}</a
            >
          </li>`,
      )}
    </ul>
  </details>`;
}

/** The order in a word, with its direction as an arrow. */
function sortWord(translator: Translator, order: ListOrder): Html {
  const word = order.startsWith('captured')
    ? 'sortCaptured'
    : order.startsWith('uploaded')
      ? 'sortUploaded'
      : 'name';
  const arrow = order.endsWith('-desc') ? '↓' : '↑';
  return html`${translator.t(word)} <span aria-hidden="true">${arrow}</span>`;
}

/** The fields that limit a list. */
export function filterForm(translator: Translator, { query, senders, projects }: Choices): Html {
  const { workspace, text, order, kind, answer, fromDay, toDay } = query;
  const page = pageOf(query);
  const kept = parametersOf(page, {
    ...{ workspace, text, order, project: isOneProject(query.project) ? query.project : '' },
    ...{ user: '', kind: '', answer: '', fromDay: '', toDay: '', from: undefined },
  });
  return html`<details class="menu filter">
    <summary class="button quiet small">${translator.t('filter')}</summary>
    <form method="get" action="${page}">
      ${hiddenFields(kept)}
      <label for="type">${translator.t('fileType')}</label>
      <select id="type" name="type">
        <option value="">${translator.t('anyType')}</option>
        ${PHOTO_KINDS.map(
          (one) =>
            html`<option value="${one}" ${selectedAttr(one === kind)}>
              ${kindWord(translator, one)}
            </option>`,
        )}
      </select>
      <label for="answer">${translator.t('answersOfClients')}</label>
      <select id="answer" name="answer">
        <option value="">${translator.t('anyAnswer')}</option>
        ${ANSWER_KINDS.map(
          (one) =>
            html`<option value="${one}" ${selectedAttr(one === answer)}>
              ${translator.t(ANSWER_WORDS[one])}
            </option>`,
        )}
      </select>
      ${
        isOneProject(query.project) || (projects.length === 0 && query.project === '')
          ? undefined
          : projectField(translator, query, projects)
      }
      ${senders.length < 2 && query.user === '' ? undefined : senderField(translator, query, senders)}
      <div class="range">
        <div>
          <label for="from">${translator.t('takenFrom')}</label>
          <input id="from" name="from" type="date" value="${fromDay}" />
        </div>
        <div>
          <label for="to">${translator.t('takenTo')}</label>
          <input id="to" name="to" type="date" value="${toDay}" />
        </div>
      </div>
      <button type="submit" class="small">${translator.t('apply')}</button>
    </form>
  </details>`;
}

/** The search field of a page of photos, for the header. It keeps the filter and the order of the list. */
export function searchForm(translator: Translator, query: PhotoQuery): Html {
  const page = pageOf(query);
  return html`<form method="get" action="${page}" class="search" role="search">
    ${hiddenFields(parametersOf(page, { ...query, text: '', from: undefined }))}
    <input
      name="q"
      type="search"
      value="${query.text}"
      aria-label="${translator.t('search')}"
      placeholder="${translator.t('searchHint')}"
      maxlength="${String(MAX_TEXT_LENGTH)}"
      autocomplete="off"
      spellcheck="false"
    />
    <button type="submit">${translator.t('search')}</button>
  </form>`;
}

/** The filters in force, each with a link that ends it. The search field shows its words itself. */
export function filterChips(translator: Translator, choices: Choices): Html | undefined {
  const { query } = choices;
  const { kind, answer, user, fromDay, toDay, project } = query;
  const chips = [
    kind === '' ? undefined : chip(translator, query, kindWord(translator, kind), { kind: '' }),
    answer === ''
      ? undefined
      : chip(translator, query, translator.t(ANSWER_WORDS[answer]), { answer: '' }),
    project === NO_PROJECT
      ? chip(translator, query, translator.t('noProject'), { project: '' })
      : undefined,
    user === '' ? undefined : senderChip(translator, choices),
    fromDay === '' && toDay === ''
      ? undefined
      : chip(translator, query, rangeWord(translator, fromDay, toDay), { fromDay: '', toDay: '' }),
  ].filter((one) => one !== undefined);
  return chips.length === 0
    ? undefined
    : html`<ul class="chips">
        ${chips}
      </ul>`;
}

function senderChip(translator: Translator, { query, senders }: Choices): Html {
  const name = senders.find(({ id }) => id === query.user)?.name ?? '?';
  return chip(translator, query, name, { user: '' }, verbatim(name));
}

function chip(
  translator: Translator,
  query: PhotoQuery,
  words: string,
  without: Parameters<typeof addressOf>[2],
  shown = html`${words}`,
): Html {
  return html`<li>
    <a
      href="${addressOf(pageOf(query), query, without)}"
      aria-label="${translator.t('withoutFilter', { filter: words })}"
      >${shown} <span aria-hidden="true">✕</span></a
    >
  </li>`;
}

function rangeWord(translator: Translator, fromDay: string, toDay: string): string {
  const [from, to] = [fromDay, toDay].map((day) =>
    day === '' ? '' : translator.calendar(day, 'day'),
  );
  return fromDay === toDay ? (from ?? '') : `${from ?? ''} – ${to ?? ''}`.trim();
}

const ANSWER_WORDS = {
  stars: 'stars',
  label: 'colours',
  changes: 'changesRequested',
  favourite: 'favourites',
  approval: 'approved',
  comment: 'commented',
} as const satisfies Readonly<Record<AnswerKind, PlainKey>>;

function kindWord(translator: Translator, kind: PhotoKind): string {
  const word = KIND_WORDS[kind];
  return 'name' in word ? word.name : translator.t(word.key);
}

function hiddenFields(parameters: URLSearchParams): Html[] {
  return [...parameters].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}

function projectField(
  translator: Translator,
  query: PhotoQuery,
  projects: readonly Project[],
): Html {
  return html`<label for="project">${translator.t('project')}</label>
    <select id="project" name="project">
      <option value="">${translator.t('anyProject')}</option>
      <option value="${NO_PROJECT}" ${selectedAttr(query.project === NO_PROJECT)}>
        ${translator.t('noProject')}
      </option>
      ${projectOptions(projects, query.project)}
    </select>`;
}

function senderField(translator: Translator, query: PhotoQuery, senders: readonly Sender[]): Html {
  return html`<label for="user">${translator.t('sentByWhom')}</label>
    <select id="user" name="user">
      <option value="">${translator.t('everybody')}</option>
      ${senders.map(
        ({ id, name, username }) =>
          html`<option value="${id}" ${selectedAttr(id === query.user)} translate="no">
            ${name} (${username})
          </option>`,
      )}
    </select>`;
}
