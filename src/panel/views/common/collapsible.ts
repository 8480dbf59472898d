import { replaceChildren, setShown, type Button } from '../../dom.js';
import type { ViewContext } from '../../view.js';

export interface Collapsible extends Button {
  fold(): void;
}

/**
 * A button that shows and hides a section. The content is drawn only when it is shown.
 * @param part  the section
 * @param place  the element in `part` that gets the result of `draw`
 */
export function collapsible(
  { strings, button }: ViewContext,
  label: string,
  part: HTMLElement,
  place: HTMLElement,
  draw: () => readonly HTMLElement[],
): Collapsible {
  let isOpen = false;
  const set = (next: boolean): void => {
    isOpen = next;
    replaceChildren(place, isOpen ? draw() : []);
    setShown(part, isOpen);
    toggle.setLabel(isOpen ? strings.close : label);
  };
  const toggle = button('action', label, () => {
    set(!isOpen);
  });
  setShown(part, false);
  return {
    ...toggle,
    fold: () => {
      set(false);
    },
  };
}
