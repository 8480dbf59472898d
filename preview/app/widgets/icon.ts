import { defineWidget, Widget } from './widget.js';

/** Paths on a 16 by 16 grid, drawn for the preview. The size at the end of a name (Small, Medium, Large) is ignored. */
const SHAPES: Readonly<Record<string, string>> = {
  Alert: 'M8 2 15 14H1ZM8 6.5v3.2M8 11.6v.6',
  ArrowDown: 'M8 2v12M3.5 9.5 8 14l4.5-4.5',
  ArrowLeft: 'M14 8H2M6.5 3.5 2 8l4.5 4.5',
  ArrowUp: 'M8 14V2M3.5 6.5 8 2l4.5 4.5',
  Asterisk: 'M8 3v10M3.7 5.5l8.6 5M12.3 5.5l-8.6 5',
  Checkmark: 'M2.5 8.5 6.5 12.5 13.5 4',
  ChevronDown: 'M3 5.5 8 10.5 13 5.5',
  ChevronLeft: 'M10.5 3 5.5 8l5 5',
  ChevronRight: 'M5.5 3l5 5-5 5',
  ChevronUp: 'M3 10.5 8 5.5l5 5',
  CornerTriangle: 'M13 6v7H6Z',
  Cross: 'M3 3l10 10M13 3 3 13',
  Dash: 'M3 8h10',
  DoubleGripper: 'M2 6h12M2 10h12',
  FolderBreadcrumb: 'M1.5 3.5h5l1.5 2h6.5v8h-13Z',
  Help: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M6 6.3a2 2 0 1 1 2.6 2c-.5.2-.6.5-.6 1M8 11.4v.6',
  Info: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M8 7.2v4.3M8 4.6v.5',
  Magnifier: 'M7 2a5 5 0 1 0 0 10a5 5 0 1 0 0-10M10.6 10.6 14.5 14.5',
  More: 'M3 8h.1M8 8h.1M13 8h.1',
  SkipLeft: 'M13 3 6 8l7 5ZM3.5 3v10',
  SkipRight: 'M3 3l7 5-7 5ZM12.5 3v10',
  Star: 'M8 1.8l1.9 4 4.4.5-3.2 3 .8 4.4L8 11.6l-3.9 2.1.8-4.4-3.2-3 4.4-.5Z',
  StarOutline: 'M8 1.8l1.9 4 4.4.5-3.2 3 .8 4.4L8 11.6l-3.9 2.1.8-4.4-3.2-3 4.4-.5Z',
  Success: 'M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M4.8 8.3 7 10.5l4.2-4.6',
  TripleGripper: 'M2 4.5h12M2 8h12M2 11.5h12',
};

const CSS = `
  :host { display: inline-block; width: 18px; height: 18px; vertical-align: middle; color: inherit; flex: none; }
  :host([size='xxs']) { width: 10px; height: 10px; }
  :host([size='xs']) { width: 12px; height: 12px; }
  :host([size='s']) { width: 14px; height: 14px; }
  :host([size='l']) { width: 24px; height: 24px; }
  :host([size='xl']) { width: 32px; height: 32px; }
  :host([size='xxl']) { width: 40px; height: 40px; }
  svg { display: block; width: 100%; height: 100%; }
  path { fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
  path.solid { fill: currentColor; }
`;

/** An icon of the host, by its documented name with the prefix `ui:`; an unknown name shows nothing. */
class SpIcon extends Widget {
  static readonly observedAttributes = ['name'];

  constructor() {
    super(CSS, '<svg viewBox="0 0 16 16" aria-hidden="true"><path></path></svg>');
  }

  protected override update(): void {
    const name = (this.getAttribute('name') ?? '').replace(/^ui:/, '');
    const path = this.root.querySelector('path');
    path?.setAttribute('d', SHAPES[name.replace(/(Small|Medium|Large)$/, '')] ?? '');
    path?.classList.toggle('solid', name === 'Star' || name === 'CornerTriangle');
  }
}

/** Defines sp-icon. */
export function defineIcon(): void {
  defineWidget('sp-icon', SpIcon, {
    name: { attribute: 'name', type: 'string' },
    size: { attribute: 'size', type: 'string' },
  });
}
