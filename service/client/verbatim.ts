/** A text that is no language, such as a name, as `verbatim` of the service writes it. */
export function verbatim(text: string): HTMLElement {
  const made = document.createElement('bdi');
  made.textContent = text;
  made.translate = false;
  return made;
}
