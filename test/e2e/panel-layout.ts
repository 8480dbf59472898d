/** Finds visible layout faults of a panel; runs in the browser. */

/**
 * Elements that overflow, are clipped or overlap, one line each; empty for a correct page.
 * Meant for `page.evaluate`: it must not use anything from outside.
 */
export function layoutFaults(): string[] {
  const faults = [...document.querySelectorAll(':not(:defined)')].map(
    ({ localName }) => `the preview does not draw ${localName}`,
  );
  /** May be cut short with an ellipsis: names, of files with their end next to it. */
  const mayBeCut =
    '.name-start, .tile-name .name-end, .filter-name, .whose-name, .whose-place, .to-name, .card-state, .earlier .photo-detail';
  const page = document.documentElement;
  const width = page.clientWidth;
  if (page.scrollWidth > width) faults.push(`the page is ${page.scrollWidth} wide, not ${width}`);

  const called = (element: Element): string =>
    `${element.localName}.${element.className} "${element.textContent.slice(0, 40)}"`;
  const shown = [...document.body.querySelectorAll<HTMLElement>('*')].filter(
    (element) => element.checkVisibility() && element.closest('script, .qr, .word') === null,
  );
  const isWidget = (element: Element): boolean => element.localName.startsWith('sp-');

  interface Piece {
    readonly element: HTMLElement;
    readonly box: { left: number; top: number; right: number; bottom: number };
  }
  const pieces: Piece[] = [];
  const isInLayer = ({ element }: Piece): boolean => element.closest('.layer') !== null;

  /** An ellipsis comes with any part of a pixel, which `scrollWidth` does not have. */
  const isCutShort = (element: Element, text: Element): boolean => {
    if (getComputedStyle(text).textOverflow !== 'ellipsis') return false;
    const whole = document.createRange();
    whole.selectNodeContents(element);
    return whole.getBoundingClientRect().width > text.getBoundingClientRect().width + 0.1;
  };

  for (const element of shown) {
    const isText = element.children.length === 0 && element.textContent.trim() !== '';
    if (!isText && !isWidget(element)) continue;
    const text = element.shadowRoot?.getElementById('text') ?? element;
    if (
      (text.scrollWidth > text.clientWidth + 1 || isCutShort(element, text)) &&
      text.clientWidth > 0 &&
      !element.matches(mayBeCut)
    )
      faults.push(`too wide for its place: ${called(element)}`);

    let { left, top, right, bottom } = element.getBoundingClientRect();
    if (left < -0.5 || right > width + 0.5)
      faults.push(`reaches out of the panel: ${called(element)}`);
    // Text and buttons must not be clipped by an ancestor, unless one can scroll to them.
    for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
      const { overflowY } = getComputedStyle(at);
      if (overflowY === 'visible') continue;
      const clip = at.getBoundingClientRect();
      if (overflowY === 'hidden') {
        const isCut = bottom > clip.bottom + 1 || top < clip.top - 1 || right > clip.right + 1;
        if (isCut) faults.push(`cut off by .${at.className}: ${called(element)}`);
      }
      left = Math.max(left, clip.left);
      right = Math.min(right, clip.right);
      top = Math.max(top, clip.top);
      bottom = Math.min(bottom, clip.bottom);
    }
    if (right - left > 1 && bottom - top > 1)
      pieces.push({ element, box: { left, top, right, bottom } });
  }

  pieces.forEach((one, index) => {
    for (const other of pieces.slice(index + 1)) {
      // Open menus and dialogs cover the panel.
      if (one.element.contains(other.element) || isInLayer(one) !== isInLayer(other)) continue;
      const across =
        Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const down =
        Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (across > 1 && down > 1)
        faults.push(`covers another: ${called(one.element)} and ${called(other.element)}`);
    }
  });
  return faults;
}

/**
 * Texts whose contrast to what is behind them is below 4.5 to 1 (WCAG 2.2, 1.4.3), one line each. Buttons draw
 * themselves and are the host's business.
 */
export function contrastFaults(): string[] {
  const channels = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element: Element | null): string => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      const [, , , alpha = 1] = channels(backgroundColor);
      if (alpha > 0) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  };
  const faults: string[] = [];
  for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
    if (element.children.length > 0 || element.textContent.trim() === '') continue;
    if (!element.checkVisibility() || element.localName.startsWith('sp-')) continue;
    if (element.matches('.word')) continue;
    const ink = luminance(getComputedStyle(element).color);
    const paper = luminance(behind(element));
    const ratio = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (ratio < 4.5) faults.push(`${ratio.toFixed(2)} to 1: ${element.className}`);
  }
  return [...new Set(faults)];
}

/** Where the controls beside a code are, Check now last. */
export function codeButtons(): string[] {
  const controls = [
    ...document.querySelectorAll('.foot-link'),
    ...document.querySelectorAll('.view .button, .view .control'),
  ];
  return controls.flatMap((control) => {
    const { left, top, width } = control.getBoundingClientRect();
    return width === 0 ? [] : [`${control.textContent}: ${Math.round(left)}, ${Math.round(top)}`];
  });
}

/** Where the controls above the list are. */
export function firstButtons(): string[] {
  const controls = document.querySelectorAll('.head .control, .top .button, .top .control');
  return [...controls].map((control) => {
    const { left, top } = control.getBoundingClientRect();
    return `${control.textContent}: ${Math.round(left)}, ${Math.round(top)}`;
  });
}
