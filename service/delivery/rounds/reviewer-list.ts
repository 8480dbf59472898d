import { html, type Html, verbatim } from '../../kernel/html-tag.js';
import type { Translator } from '../../kernel/i18n/translator.js';
import { decisionLine, type Decision, type Listed } from '../../library/index.js';
import { PHOTOS } from '../../site/addresses/photo-paths.js';
import type { ReviewerState } from './reviewer-state.js';
import type { Round } from './round-table.js';

/** Who has decided about the files of a link, for the studio. */
export function reviewerList(
  translator: Translator,
  { until }: Round,
  states: readonly ReviewerState[],
): Html {
  return html`<section class="reviewers" id="reviewers">
    <h2>${translator.t('decision')}</h2>
    <p>${translator.html('decisionUntilTime', { time: translator.time(until) })}</p>
    <ul class="cards">
      ${states.map((state) => html`<li>${reviewerItem(translator, state)}</li>`)}
    </ul>
  </section>`;
}

function reviewerItem(translator: Translator, state: ReviewerState): Html {
  const { reviewer, approvals, changes, outdated, hasDecided, missing } = state;
  const name = verbatim(reviewer.name);
  const counts = (
    [
      ['approvals', approvals],
      ['changesRequested', changes],
      ['decisionsOutdated', outdated],
    ] as const
  ).flatMap(([label, count]) => (count === 0 ? [] : [`${translator.t(label)}: ${count}`]));
  const progress = decidedOf(translator, state);
  const lines = [...state.decisions, ...state.withdrawn];
  return html`<p>
      ${hasDecided ? '✓' : '…'}
      ${translator.html(hasDecided ? 'reviewerDecided' : 'reviewerUndecided', { name })}
    </p>
    ${
      counts.length + progress.length === 0
        ? undefined
        : html`<p class="soft">${[...progress, ...counts].join(' · ')}</p>`
    }
    ${progress.length === 0 || missing.length === 0 ? undefined : missingFiles(translator, state)}
    ${
      lines.length === 0
        ? undefined
        : html`<details ${lines.length > MAX_OPEN ? undefined : html`open`}>
            <summary>${translator.t('decisionCount', { count: lines.length })}</summary>
            <ul>
              ${lines.map((line) => html`<li>${fileLine(translator, line)}</li>`)}
            </ul>
          </details>`
    }`;
}

/** "2 of 3 files decided", for a reviewer who has decided about some of them. */
export function decidedOf(
  translator: Translator,
  { decided, files }: Pick<ReviewerState, 'decided' | 'files'>,
): string[] {
  return decided > 0 && decided < files
    ? [translator.t('decidedOf', { decided, count: files })]
    : [];
}

/** Which files a reviewer has not decided about. */
function missingFiles(
  translator: Translator,
  { missing, files, decided }: Pick<ReviewerState, 'missing' | 'files' | 'decided'>,
): Html {
  const named = missing.slice(0, MAX_OPEN);
  const more = files - decided - named.length;
  return html`<p>
    ${translator.t('decisionMissing')}:
    ${named.map(
      ({ id, name }, index) =>
        html`${index === 0 ? '' : ', '}<a href="${PHOTOS.photo(id)}">${verbatim(name)}</a>`,
    )}${more > 0 ? ` ${translator.t('decisionMissingMore', { count: more })}` : undefined}
  </p>`;
}

/** How many decisions of a reviewer are shown without a click, and how many files without a decision are named. */
const MAX_OPEN = 5;

function fileLine(translator: Translator, decision: Listed<Decision>): Html {
  return html`<a href="${PHOTOS.photo(decision.photoId)}#answers"
      >${verbatim(decision.photoName)}</a
    >
    ${decisionLine(translator, decision)}`;
}

/** Who is asked for a decision, for the guests of a link; undefined without a reviewer. */
export function decisionNotice(
  translator: Translator,
  until: Date,
  reviewers: readonly { readonly name: string }[],
): Html | undefined {
  return reviewers.length === 0
    ? undefined
    : html`<p class="decision">
        ${translator.html('decisionWanted', {
          names: html`${reviewers.map(
            ({ name }, index) => html`${index === 0 ? '' : ', '}${verbatim(name)}`,
          )}`,
          time: translator.time(until),
        })}
      </p>`;
}
