/** On the page of a photo, the arrow keys lead to the photos next to it, unless the focus or the viewer needs them. */
export function stepByKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, target, altKey, ctrlKey, metaKey, shiftKey, defaultPrevented } = event;
    const isTyping =
      target instanceof Element && target.closest('input, select, textarea') !== null;
    const isBusy = isTyping || defaultPrevented || altKey || ctrlKey || metaKey || shiftKey;
    const rel = { ArrowLeft: 'prev', ArrowRight: 'next' }[key];
    if (isBusy || rel === undefined || document.querySelector('.pswp') !== null) {
      return;
    }
    document.querySelector<HTMLAnchorElement>(`:is(.frame, .large) > a[rel="${rel}"]`)?.click();
  });
}
