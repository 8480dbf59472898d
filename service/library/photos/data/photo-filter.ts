import type { SqlValue } from '../../../kernel/database/database.js';
import { answeredCondition, type AnswerKind } from '../../feedback/index.js';
import { kindCondition, type MediaKind, type PhotoKind } from './photo-kind.js';

/** Which photos a list shows. Undefined members do not limit it. */
export interface PhotoFilter {
  /** The id of a project, or `NO_PROJECT`. */
  readonly project?: string | undefined;
  /** Words that name, title, caption, keywords or camera have, each of them. Case and accents do not matter. */
  readonly text?: string | undefined;
  readonly kind?: PhotoKind | MediaKind | undefined;
  readonly answer?: AnswerKind | undefined;
  /** The time of capture: from this time on, and before this time. */
  readonly takenFrom?: Date | undefined;
  readonly takenBefore?: Date | undefined;
}

/** How many words of a search count. */
const MAX_WORDS = 8;

/** Whether the database keeps the number of photos with this filter. */
export function isCounted({ text = '', kind, answer, takenFrom, takenBefore }: PhotoFilter): boolean {
  const isSearch = text.trim() !== '' || kind !== undefined || answer !== undefined;
  return !isSearch && takenFrom === undefined && takenBefore === undefined;
}

/** A condition of a query. `value` adds a value to the query, and gives its placeholder. */
export type Condition = (value: (one: SqlValue) => string) => string;

export function takenConditions({ takenFrom, takenBefore }: PhotoFilter): Condition[] {
  return [
    ...(takenFrom === undefined
      ? []
      : [(value: (one: SqlValue) => string) => `taken_at >= ${value(takenFrom)}`]),
    ...(takenBefore === undefined
      ? []
      : [(value: (one: SqlValue) => string) => `taken_at < ${value(takenBefore)}`]),
  ];
}

/** The columns that {@link searchConditions} read, besides those of a photo. */
export const SEARCHED_COLUMNS = 'type, search_text';

/** The conditions that no index answers. */
export function searchConditions({ text = '', kind, answer }: PhotoFilter): Condition[] {
  const words = [...new Set(text.split(/\s+/))].filter((word) => word !== '').slice(0, MAX_WORDS);
  return [
    ...words.map(
      (word): Condition =>
        (value) =>
          contains(word, value),
    ),
    ...(kind === undefined ? [] : [() => kindCondition(kind)]),
    ...(answer === undefined ? [] : [() => answeredCondition(answer, 'searched.photo_id')]),
  ];
}

/**
 * Whether `search_text` has a text in it, see `search_form` in service/migrations/0039_search_without_accents.sql.
 * @param value adds a value to the query, and gives its placeholder.
 */
export function contains(text: string, value: (one: SqlValue) => string): string {
  return `strpos(search_text, search_form(${value(text)}::text)) > 0`;
}
