declare global {
  interface Window {
    /** How many controls the panel has had so far, and which of them were never pressed. */
    buttons: () => { seen: number; unpressed: string[] };
  }
}

/** Runs in the panel: follows every control there is or comes. Those with one label in one part of the panel are one. */
export function watchButtons(): void {
  const controls = 'sp-button, sp-action-button, .control';
  const parts =
    '.popover, .photo, .reason, .notice, .undo, .adding, .help, .footer, .earlier, .problems, .progress-part, .top, .head, .trouble, .view';
  const seen = new Set<string>();
  const pressed = new Set<string>();
  const keyOf = (control: Element): string => {
    const [part = ''] = (control.closest(parts)?.className ?? '').split(' ');
    // Retry buttons explain their effect, also in unfolded lines.
    const text = (control.querySelector('.entry-label') ?? control).textContent.trim();
    const place = Array.from(control.parentElement?.children ?? []).indexOf(control);
    const label = (
      control.matches('.filter')
        ? // It shows what was chosen.
          `filter ${'abcd'.charAt(place)}`
        : control.matches('.tile')
          ? 'a tile'
          : control.matches('.photo, .sheet-row')
            ? 'a row'
            : control.matches('.feedback-line')
              ? // The class after it names the kind.
                (control.classList.item(1) ?? '')
              : control.matches('.tick')
                ? 'a tick'
                : control.matches('.format')
                  ? 'Preset'
                  : // What is chosen follows the name of the choice.
                    ((control.matches('.choice') ? control.querySelector('.to-word') : null)
                      ?.textContent ?? text)
    )
      .replace(/^Upload (again|anyway)$/, 'Retry')
      .replace(/\d+/, '1')
      .replace(/^(PNG|PSD|TIFF)$/, 'JPEG')
      .replace(/^(Original|Web|Instagram)$/, 'Print')
      .replace(/^\{\w+\}$/, '{name}')
      .replace('days', 'day')
      // It follows each letter of the name.
      .replace(/^Create “.*”$/, 'Create')
      .replace('uploads', 'upload')
      .replace('files need', 'file needs');
    return `${part}: ${label}`;
  };
  const look = (): void => {
    for (const control of document.querySelectorAll(controls)) {
      const key = keyOf(control);
      if (!key.endsWith(': Copied')) seen.add(key);
    }
  };
  document.addEventListener(
    'click',
    ({ target }) => {
      const control = target instanceof Element ? target.closest(controls) : null;
      if (control) pressed.add(keyOf(control));
    },
    true,
  );
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  look();
  window.buttons = () => ({
    seen: seen.size,
    unpressed: [...seen].filter((key) => !pressed.has(key)),
  });
}
