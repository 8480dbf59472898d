/** What a text is: a button, the title of a page or notice, a message, or a label such as the name of a field. */
export type Kind = 'button' | 'title' | 'message' | 'label';

/** For every entry of a catalogue: what it is, and the heading of the support guide under which it is explained. */
export type Places<Key extends string> = Readonly<
  Record<Key, readonly [kind: Kind, heading: string]>
>;

/** The anchor of a heading in a Markdown page, without `#`. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s-]/gu, '')
    .replace(/\s/g, '-');
}

/** A text as people read it: with `…` for each blank, and without the brackets around a link. */
export function asRead(text: string): string {
  return text.replace(/\{\w+\}/g, '…').replace(/[[\]]/g, '');
}

/** The heading of the support guide for an error: its code, and the first sentence of its text. */
export function errorHeading(code: string, sentences: string): string {
  return `${code}: ${sentences.replace(/[.] .*$|[.]$/, '')}`;
}
