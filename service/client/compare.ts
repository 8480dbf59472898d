/**
 * Lays the two pictures of a comparison on one another: a slider, as wide as they are, moves the divider between them. The
 * arrow keys and the pointer move it.
 */
export function compareVersions(): void {
  const comparison = document.querySelector<HTMLElement>('.comparison');
  const slider = comparison?.querySelector('template')?.content.querySelector('input');
  if (comparison === null || slider === null || slider === undefined) {
    return;
  }
  const move = (): void => {
    comparison.style.setProperty(
      '--divider',
      `calc(20px + (100% - 40px) * ${Number(slider.value) / 100})`,
    );
  };
  slider.addEventListener('input', move);
  comparison.append(slider);
  comparison.classList.add('laid');
  move();
}
