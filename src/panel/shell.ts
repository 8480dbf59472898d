import { ICONS } from '../ui/icons.js';
import type { TextKey } from '../ui/i18n/catalog.js';

/** The entries of the panel's menu, as `menu.ts` has them, with their first labels. */
export const SHELL_MENU = [
  { id: 'add-photos', label: 'addPhotos' },
  { id: 'pause-or-resume', label: 'pause' },
  { id: 'another-account', label: 'anotherAccount' },
  { id: 'copy-diagnostics', label: 'copyDiagnostics' },
  { id: 'disconnect', label: 'disconnect' },
] as const satisfies readonly { readonly id: string; readonly label: TextKey }[];

/** The texts that are needed before the plugin is loaded. The build puts them into the first script, in every language. */
export const SHELL_TEXTS = [
  'starting',
  'help',
  'faultTitle',
  'CW-902',
  ...SHELL_MENU.map(({ label }) => label),
] as const;

export type ShellTexts = Readonly<Record<(typeof SHELL_TEXTS)[number], string>>;

/** The class of the shell's element. The panel takes its place. */
export const SHELL_CLASS = 'shell';

/**
 * Draws what the panel shows before the plugin is loaded: the same as the view `Busy`, so that nothing moves when the
 * plugin takes over. Nothing in it can be pressed.
 * @param hasFailed  the plugin cannot be loaded: the reason takes the place of "Starting…"
 */
export function drawShell(
  root: HTMLElement,
  language: string,
  texts: ShellTexts,
  hasFailed: boolean,
): void {
  root.querySelector(`.${SHELL_CLASS}`)?.remove();
  const content = hasFailed
    ? [
        element('title', texts.faultTitle),
        element('text', texts['CW-902']),
        element('error-code', 'CW-902'),
      ]
    : [element('title', texts.starting)];
  const help = element('control foot-link', element('', texts.help), rightIcon());
  const panel = element(
    'panel',
    element('view', ...content),
    element('footer', element('footer-line', element(''), ...(hasFailed ? [] : [help]))),
  );
  panel.setAttribute('lang', language);
  root.appendChild(element(SHELL_CLASS, panel));
}

function element(className: string, ...children: readonly (Element | string)[]): Element {
  const made = document.createElement('div');
  if (className !== '') {
    made.setAttribute('class', className);
  }
  for (const child of children) {
    made.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
  }
  return made;
}

function rightIcon(): Element {
  const icon = drawing('svg', { class: 'icon', viewBox: '0 0 16 16' });
  icon.appendChild(drawing('path', { d: ICONS.right, fill: 'currentColor' }));
  return icon;
}

function drawing(name: string, attributes: Readonly<Record<string, string>>): Element {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) {
    made.setAttribute(attribute, value);
  }
  return made;
}
