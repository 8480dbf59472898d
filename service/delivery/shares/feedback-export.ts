import { sendPage } from '../../kernel/http/responses.js';
import { renderShell, type PageHandler, type PageShell } from '../../identity/index.js';
import { csvRows } from '../../kernel/csv.js';
import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Page } from '../../kernel/html/layout.js';
import { Translator } from '../../kernel/i18n/translator.js';
import {
  disposition,
  labelName,
  pictureImage,
  presentPlace,
  setFileHeaders,
  type FeedbackTable,
  type LabelNames,
  type LabelTable,
  type Listed,
  type Photo,
  type PhotoTable,
} from '../../library/index.js';
import { notFoundPage } from '../../site/error-pages.js';
import { readAnswerFilter, shareFilterOf } from './answer-filter.js';
import { feedbackText } from './feedback-text.js';
import { titleOf } from './public-share-gallery.js';
import type { Share } from './share.js';
import { changeable } from './share-list.js';
import type { ShareTable } from './share-table.js';

/** How many answers an export has at most. */
const MAX_EXPORTED = 50_000;

/** How many files a contact sheet has at most. */
const MAX_ON_SHEET = 500;

export interface FeedbackExportDeps {
  readonly shares: ShareTable;
  readonly answers: FeedbackTable;
  readonly labels: LabelTable;
  readonly photos: Pick<PhotoTable, 'several'>;
}

/** The files that a link's feedback is exported as. */
const FORMATS = {
  csv: { type: 'text/csv', write: feedbackCsv },
  txt: { type: 'text/plain', write: feedbackText },
} as const;

/** Sends the feedback of a link that fits the filter of the address. */
export function exportFeedback(
  { shares, answers, labels }: FeedbackExportDeps,
  format: keyof typeof FORMATS,
): PageHandler {
  const { type, write } = FORMATS[format];
  return async (context) => {
    const share = await changeable(shares, context, context.id);
    if (share === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const filter = shareFilterOf(readAnswerFilter(context.query));
    const title = titleOf(share);
    const text = write(new Translator(context.locale.language), {
      title,
      answers: await answers.ofShare(share.id, filter, MAX_EXPORTED),
      labels: await labels.of(share.workspace.id),
    });
    // The mark makes programs read UTF-8.
    const sent = Buffer.from(`\uFEFF${text}`);
    const { response } = context;
    setFileHeaders(response);
    response.setHeader('Content-Type', `${type}; charset=utf-8`);
    response.setHeader('Content-Disposition', disposition(`${title}.${format}`));
    response.setHeader('Content-Length', sent.length);
    response.end(context.method === 'HEAD' ? undefined : sent);
  };
}

function feedbackCsv(
  translator: Translator,
  about: { readonly answers: readonly Listed[]; readonly labels: LabelNames },
): string {
  const rows = about.answers.map((answer) => cellsOf(translator, about.labels, answer));
  return csvRows([COLUMNS, ...rows]);
}

const COLUMNS = [
  ...['file', 'guest', 'kind', 'value', 'text', 'page', 'start', 'end', 'done', 'reply'],
  ...['version', 'sha256', 'at'],
];

function cellsOf(translator: Translator, labels: LabelNames, answer: Listed): string[] {
  const { photoName, guest, kind, version, sha256, at } = answer;
  const value =
    kind === 'label'
      ? labelName(translator, labels, answer.value)
      : kind === 'stars'
        ? answer.value
        : undefined;
  const comment = kind === 'comment' ? answer : undefined;
  const { page, start, end } = presentPlace(comment?.place ?? {});
  return [
    ...[photoName, guest.name, kind, value, comment?.text, page, start, end],
    ...[comment?.doneAt?.toISOString(), comment?.reply?.text, version, sha256, at.toISOString()],
  ].map((cell) => String(cell ?? ''));
}

/** Shows the files of a link that guests chose, with names and marks, to be printed. */
export function contactSheet({ shares, answers, labels, photos }: FeedbackExportDeps): PageHandler {
  return async (context) => {
    const share = await changeable(shares, context, context.id);
    if (share === undefined) {
      sendPage(context, 404, notFoundPage());
      return;
    }
    const filter = shareFilterOf(readAnswerFilter(context.query));
    const marks = new Map<string, Listed[]>();
    for (const answer of await answers.ofShare(share.id, filter, MAX_EXPORTED)) {
      if (answer.kind !== 'comment' || filter.kinds !== undefined) {
        marks.set(answer.currentId, [...(marks.get(answer.currentId) ?? []), answer]);
      }
    }
    const chosen = await photos.several([...marks.keys()].slice(0, MAX_ON_SHEET));
    const names = await labels.of(share.workspace.id);
    sendPage(context, 200, contactSheetPage(context.shell, share, { chosen, marks, names }));
  };
}

interface Chosen {
  readonly chosen: readonly Photo[];
  /** By the ids of the current versions. */
  readonly marks: ReadonlyMap<string, readonly Listed[]>;
  readonly names: LabelNames;
}

function contactSheetPage(shell: PageShell, share: Share, { chosen, marks, names }: Chosen): Page {
  const left = marks.size - chosen.length;
  return renderShell(
    'contactSheet',
    'shares',
    shell,
    (translator) =>
      html`<h1>${verbatim(titleOf(share))}</h1>
        <ul class="contact-sheet">
          ${chosen.map(
            (photo) =>
              html`<li>
                ${pictureImage(photo, { sizes: '240px', alt: photo.name })}
                <p>${verbatim(photo.name)}</p>
                <p class="small">
                  ${(marks.get(photo.id) ?? []).map((answer) => mark(translator, names, answer))}
                </p>
              </li>`,
          )}
        </ul>
        ${left === 0 ? undefined : html`<p>${translator.t('contactSheetMore', { count: left })}</p>`}`,
    { showsPictures: true },
  );
}

const SIGNS = { favourite: '♥', approval: '✓', changes: '↺', comment: '✎' } as const;

/** Such as "★★★★ Mia". */
function mark(translator: Translator, labels: LabelNames, answer: Listed): Html {
  const sign =
    answer.kind === 'stars'
      ? '★'.repeat(answer.value)
      : answer.kind === 'label'
        ? labelName(translator, labels, answer.value)
        : SIGNS[answer.kind];
  return html`<span>${sign} ${verbatim(answer.guest.name)}</span> `;
}
