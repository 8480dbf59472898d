/** A button, the title of a page or a notice, a sentence that tells how things stand, or the name of a field and the like. */
export type Kind = 'button' | 'title' | 'message' | 'label';

/** For every entry of a catalogue what it is, and the heading of the support guide below which it is explained. */
export type Places<Key extends string> = Readonly<
  Record<Key, readonly [kind: Kind, heading: string]>
>;

/** The anchor that Markdown pages have for a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s-]/gu, '')
    .replace(/\s/g, '-');
}

/** A text as people read it, with `…` for what is filled in and without the marks of a link. */
export function asRead(text: string): string {
  return text.replace(/\{\w+\}/g, '…').replace(/[[\]]/g, '');
}

/** The heading of the support guide for an error: its code, and what has happened. */
export function errorHeading(code: string, sentences: string): string {
  return `${code}: ${sentences.replace(/[.] .*$|[.]$/, '')}`;
}
