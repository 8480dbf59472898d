/** Settles in a task after the next drawing. A hidden window is not drawn, so there it settles in the next task. */
export function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    if (document.visibilityState === 'visible') {
      requestAnimationFrame(() => setTimeout(resolve));
    } else {
      setTimeout(resolve);
    }
  });
}
