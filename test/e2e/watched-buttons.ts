declare global {
  interface Window {
    /** How many buttons the panel has had so far, and what those say that were never pressed, by where they stand. */
    buttons: () => { seen: number; unpressed: string[] };
  }
}

/**
 * Runs in the panel: follows every button there is or comes, in sight or not. Those of rows, and of reasons, are one for
 * each label.
 */
export function watchButtons(): void {
  const seen = new Map<string, Element>();
  const pressed = new Set<string>();
  let count = 0;
  const keys = new WeakMap<Element, string>();
  const keyOf = (button: Element): string => {
    const many = button.closest('.photo, .reason')?.className;
    const known = keys.get(button);
    if (known !== undefined) return known;
    count += 1;
    // What removes the photos of a reason gets its label, with their number, when it is first shown.
    // What tries a row's photo again says what that means for it.
    const label = button.textContent
      .trim()
      .replace(/^$|^Remove \d+$/, 'Remove')
      .replace(/^Upload (again|anyway)$/, 'Retry');
    const key = many
      ? `${many}: ${label}`
      : `${count}: ${button.parentElement?.parentElement?.parentElement?.className ?? ''}`;
    keys.set(button, key);
    return key;
  };
  const look = (): void => {
    for (const button of document.querySelectorAll('sp-button, sp-action-button'))
      seen.set(keyOf(button), button);
  };
  document.addEventListener(
    'click',
    ({ target }) => {
      const button =
        target instanceof Element ? target.closest('sp-button, sp-action-button') : null;
      if (button) pressed.add(keyOf(button));
    },
    true,
  );
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  look();
  window.buttons = () => ({
    seen: seen.size,
    unpressed: [...seen]
      .filter(([key]) => !pressed.has(key))
      .map(([key, button]) => `${key} "${button.textContent.trim()}"`),
  });
}
