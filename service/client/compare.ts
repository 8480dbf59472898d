import { CompareZoom } from './compare-zoom.js';

/**
 * Lays the two pictures of a comparison on one another: a slider, as wide as they are, moves the divider between them. The
 * arrow keys and the pointer move it.
 */
export function compareVersions(): void {
  const comparison = document.querySelector<HTMLElement>('.comparison:not(.films)');
  const view = comparison?.querySelector<HTMLElement>('.view');
  const controls = comparison?.querySelector('template')?.content;
  const slider = controls?.querySelector('input');
  if (comparison === null || !view || !controls || !slider) {
    return;
  }
  const move = (): void => {
    comparison.style.setProperty(
      '--divider',
      `calc(20px + (100% - 40px) * ${Number(slider.value) / 100})`,
    );
  };
  slider.addEventListener('input', move);
  comparison.append(controls);
  comparison.classList.add('laid');
  move();
  new CompareZoom(comparison, view).start();
}
