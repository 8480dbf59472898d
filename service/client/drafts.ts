/** What a guest fills in for a comment: its words, and its place as a spot, a time or a page. */
const FIELDS = 'textarea, [name="x"], [name="y"], [name="start"], [name="end"], [name="page"]';

type Field = HTMLInputElement | HTMLTextAreaElement;

/** A comment that is not sent yet. */
export interface Draft {
  /** By the name of the field. */
  readonly values: ReadonlyMap<string, string>;
  /** The field in which the guest writes, with the place of the caret. */
  readonly focus: { readonly name: string; readonly caret: number } | undefined;
}

/** Reads the comment in the answers to a photo. */
export function readDraft(answers: Element): Draft {
  const fields = fieldsOf(answers);
  const focused = fields.find((field) => field === document.activeElement);
  return {
    values: new Map(fields.map((field) => [field.name, valueOf(field)])),
    focus: focused && { name: focused.name, caret: focused.selectionStart ?? 0 },
  };
}

/** Writes a comment into the answers to the same photo, and puts the caret where it was. */
export function restoreDraft(answers: Element, { values, focus }: Draft): void {
  for (const field of fieldsOf(answers)) {
    const value = values.get(field.name);
    if (value !== undefined && isCheckbox(field)) {
      field.checked = value !== '';
    } else if (value !== undefined) {
      field.value = value;
    }
    if (focus?.name === field.name) {
      field.focus();
      if (!isCheckbox(field)) {
        field.setSelectionRange(focus.caret, focus.caret);
      }
    }
  }
}

/** What is left of a comment after another state of it was sent: the guest may have gone on writing. */
export function withoutSent({ values, focus }: Draft, sent: Draft): Draft {
  const text = values.get('text') ?? '';
  const sentText = sent.values.get('text') ?? '';
  if (!text.startsWith(sentText)) {
    return { values, focus };
  }
  const rest = text.slice(sentText.length).trimStart();
  const left = [...values].filter(([name, value]) => value !== sent.values.get(name));
  return {
    values: new Map([...left, ['text', rest]]),
    focus: focus && { ...focus, caret: Math.max(0, focus.caret - (text.length - rest.length)) },
  };
}

function fieldsOf(answers: Element): Field[] {
  return [...answers.querySelectorAll<Field>(`.write :is(${FIELDS})`)];
}

function valueOf(field: Field): string {
  return isCheckbox(field) && !field.checked ? '' : field.value;
}

function isCheckbox(field: Field): field is HTMLInputElement {
  return field instanceof HTMLInputElement && field.type === 'checkbox';
}
