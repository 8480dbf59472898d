import type { Translator } from '../../kernel/i18n/translator.js';
import {
  labelName,
  placeLabel,
  type Comment,
  type LabelNames,
  type Listed,
} from '../../library/index.js';

/** The feedback of a link as plain text in CRLF lines, grouped by file. @param answers in the order of their files */
export function feedbackText(
  translator: Translator,
  about: {
    readonly title: string;
    readonly answers: readonly Listed[];
    readonly labels: LabelNames;
  },
): string {
  const files = new Map<string, Listed[]>();
  for (const answer of about.answers) {
    files.set(answer.photoId, [...(files.get(answer.photoId) ?? []), answer]);
  }
  const groups = [...files.values()].map((answers) => [
    '',
    oneLine(answers[0]?.photoName ?? ''),
    ...answers.flatMap((answer) => linesOf(translator, about.labels, answer)),
  ]);
  return `${[oneLine(about.title), ...groups.flat()].join('\r\n')}\r\n`;
}

/** What follows the first line is indented: a comment cannot look like the name of a file. */
function linesOf(translator: Translator, labels: LabelNames, answer: Listed): string[] {
  const [first, ...more] = wordsOf(translator, labels, answer).split('\n');
  return [`- ${first ?? ''}`, ...more.map((line) => `    ${line}`)];
}

function wordsOf(translator: Translator, labels: LabelNames, answer: Listed): string {
  const { name } = answer.guest;
  switch (answer.kind) {
    case 'favourite':
      return `♥ ${name}`;
    case 'stars':
      return `${'★'.repeat(answer.value)} ${name}`;
    case 'label':
      return `${labelName(translator, labels, answer.value)}: ${name}`;
    case 'approval':
      return `✓ ${translator.t('approvedBy', { name })}${bytesOf(answer)}`;
    case 'changes':
      return `↺ ${translator.t('changesBy', { name })}${bytesOf(answer)}`;
    case 'comment': {
      const { text, reply } = answer;
      const replied =
        reply === undefined
          ? []
          : [`${translator.t('replyBy', { name: reply.by ?? '–' })}:`, reply.text];
      return [headOf(translator, answer), text, ...replied].join('\n');
    }
  }
}

function bytesOf({ version, sha256 }: Listed): string {
  return ` (v${version}, SHA-256 ${sha256})`;
}

/** Such as "✎ Anna, Page 3, v2, 2026-11-28 12:00 UTC, Done". */
function headOf(translator: Translator, { guest, place, version, at, doneAt }: Comment): string {
  const parts = [
    guest.name,
    placeLabel(translator, place) ?? (place.pin === undefined ? undefined : translator.t('spot')),
    `v${version}`,
    `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    doneAt === undefined ? undefined : translator.t('commentDone'),
  ];
  return `✎ ${parts.filter((part) => part !== undefined).join(', ')}`;
}

/** Names of files may have any character. */
function oneLine(name: string): string {
  return name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
