import type { Target } from './index.js';
import { exists, globals, html, membersOf } from './index.js';

/** What is wrong with an element or attribute, and what to use instead. */
export interface HtmlProblem {
  readonly name: string;
  readonly problem: string;
  readonly instead: string;
}

/** Attributes every element may bear: the properties of Element and HTMLElement that are written as attributes. */
const everywhere = new Set(['id', 'class', 'style', 'slot', 'lang', 'autofocus', 'disabled']);

/** The attribute of a documented property, where its name is not simply the lower-cased property name. */
const attributeOf: Readonly<Record<string, string>> = {
  uxpVariant: 'uxp-variant',
  uxpQuiet: 'uxp-quiet',
};

const classOf: Readonly<Record<string, string>> = {
  a: 'HTMLAnchorElement',
  img: 'HTMLImageElement',
  input: 'HTMLInputElement',
  menuitem: 'HTMLMenuItemElement',
  option: 'HTMLOptionElement',
  progress: 'HTMLProgressElement',
  script: 'HTMLScriptElement',
  select: 'HTMLSelectElement',
  slot: 'HTMLSlotElement',
  textarea: 'HTMLTextAreaElement',
  video: 'HTMLVideoElement',
  webview: 'HTMLWebViewElement',
  canvas: 'HTMLCanvasElement',
  dialog: 'HTMLDialogElement',
};

/** Attributes a page of the element itself names, beside the properties of its class. */
const named: Readonly<Record<string, readonly string[]>> = {
  link: ['rel', 'href'],
  form: ['method'],
  'uxp-panel': ['panelid'],
  img: ['width', 'height'],
  option: ['selected'],
  menuitem: ['label'],
};

const sizeAttributes = new Set(['width', 'height']);

/** Whether a host draws the element as what it is; anything undocumented is treated as a plain div. */
export function elementProblem(tag: string, target: Target): HtmlProblem | undefined {
  const name = tag.toLowerCase();
  const fact = html.elements[name] ?? html.widgets[name];
  if (fact !== undefined) {
    if (exists({ since: fact.since, flag: 'flag' in fact ? fact.flag : undefined }, target))
      return undefined;
    return {
      name: `<${name}>`,
      problem: 'not on the oldest host, or behind a feature flag',
      instead: 'div',
    };
  }
  const unsupported = html.unsupportedElements[name];
  return {
    name: `<${name}>`,
    problem:
      unsupported === undefined
        ? 'undocumented element, treated as a plain div'
        : `listed as unsupported, treated as ${unsupported.treatedAs ?? 'a plain div'}`,
    instead: unsupported?.note ?? 'div with a class',
  };
}

/** Whether a host supports the attribute on that element. `value` undefined: not decidable. */
export function attributeProblem(
  tag: string,
  attribute: string,
  value: string | undefined,
  target: Target,
): HtmlProblem | undefined {
  const element = tag.toLowerCase();
  const name = attribute.toLowerCase();
  const shown = `${name} on <${element}>`;
  if (name.startsWith('on')) {
    return {
      name: shown,
      problem: 'inline handlers need allowCodeGenerationFromStrings',
      instead: 'addEventListener',
    };
  }
  const denied = html.unsupportedPerElement[element]?.some((rule) => {
    const [deniedName, deniedValue] = rule.split(/=| other than /);
    return deniedName === name && (deniedValue === undefined || deniedValue === value);
  });
  if (denied === true) return { name: shown, problem: 'listed as unsupported', instead: 'nothing' };
  if (name === 'method' && element === 'form' && value !== undefined && value !== 'dialog') {
    return { name: shown, problem: 'forms know only method="dialog"', instead: 'XMLHttpRequest' };
  }
  // The list of unsupported attributes names tabindex, and its page then describes whole numbers.
  if (name === 'tabindex' && (value === undefined || /^-?\d+$/.test(value))) return undefined;
  const unsupported = html.unsupportedAttributes.find((rule) =>
    rule.endsWith('*') ? name.startsWith(rule.slice(0, -1)) : rule === name,
  );
  if (unsupported !== undefined) {
    return {
      name: shown,
      problem: 'listed as unsupported',
      instead: insteadOf[unsupported] ?? 'visible text',
    };
  }
  if (sizeAttributes.has(name) && value !== undefined && !/[a-z%]$/i.test(value)) {
    return { name: shown, problem: 'width and height need a unit', instead: 'for instance 16px' };
  }
  if (everywhere.has(name) || name.startsWith('data-')) return undefined;
  if (named[element]?.includes(name) === true) return undefined;
  const widget = html.widgets[element];
  if (widget?.attributes?.includes(name) === true) {
    const choices =
      name === 'variant' ? widget.variants : name === 'size' ? widget.sizes : undefined;
    if (choices === undefined || value === undefined || choices.length === 0) return undefined;
    if (choices.some((choice) => choice.toLowerCase() === value.toLowerCase())) return undefined;
    return {
      name: `${name}="${value}" on <${element}>`,
      problem: 'undocumented value',
      instead: choices.join(', '),
    };
  }
  const className = classOf[element];
  if (className !== undefined && globals[className] !== undefined) {
    for (const member of membersOf(className, target)) {
      if ((attributeOf[member] ?? member.toLowerCase()) === name) return undefined;
    }
  }
  return { name: shown, problem: 'undocumented attribute', instead: 'visible text or a class' };
}

const insteadOf: Readonly<Record<string, string>> = {
  'aria*': 'visible text: the host has no accessibility attributes',
  hidden: 'display: none in the style sheet',
  accesskey: 'nothing',
  contenteditable: 'textarea',
};
