import type { CssNode, Declaration, Selector } from 'css-tree';
import { generate, lexer, parse, walk } from 'css-tree';
import type { Target } from '../uxp-api/index.js';
import { css, exists } from '../uxp-api/index.js';
import { elementProblem } from '../uxp-api/html-rules.js';
import { allowedProperties } from './allowed.js';
import type { Problem } from './problem.js';

/** Value functions that have a page, or that a documented value type uses. */
const functions = new Set([
  'calc',
  'var',
  'rgb',
  'rgba',
  'hsl',
  'hsla',
  'url',
  'linear-gradient',
  'radial-gradient',
]);
const combinators = new Set([' ', '>', '+', '~']);
const genericFamilies = new Set([
  'monospace',
  'serif',
  'sans-serif',
  'cursive',
  'fantasy',
  'system-ui',
]);
/** The units that a value may use. Percent is not in this list: it is always accepted, as the documentation uses it. */
const units = new Set(css.units);

/** Checks a style sheet: at-rules, selectors, properties, values. */
export function checkStyleSheet(file: string, source: string, target: Target): Problem[] {
  const problems: Problem[] = [];
  const add = (node: CssNode, name: string, problem: string, instead: string): void => {
    problems.push({ file, ...placeOf(node), name, problem, instead });
  };
  const tree = parse(source, {
    positions: true,
    onParseError: (error) => {
      problems.push({ file, name: 'syntax', problem: error.message, instead: 'valid CSS' });
    },
  });
  walk(tree, {
    enter(node: CssNode) {
      if (node.type === 'Atrule' && node.name !== 'media') {
        const name = `@${node.name}`;
        add(node, name, 'undocumented at-rule', noteOf(name) ?? 'only @media is documented');
      } else if (node.type === 'Feature') {
        checkFeature(node, add);
      } else if (node.type === 'Selector') {
        checkSelector(node, target, add);
      } else if (node.type === 'NestingSelector') {
        add(node, '&', 'nesting is undocumented', 'write the selectors out');
      } else if (node.type === 'Declaration') {
        problems.push(...checkDeclaration(file, node, target));
      }
    },
  });
  return problems;
}

/** Checks the content of a style attribute. */
export function checkDeclarations(file: string, source: string, target: Target): Problem[] {
  const problems: Problem[] = [];
  walk(parse(source, { context: 'declarationList' }), (node) => {
    if (node.type === 'Declaration') {
      problems.push(...checkDeclaration(file, node, target));
    }
  });
  return problems;
}

/** What is wrong with a property itself, whatever its value; undefined when it is documented or allowed. */
export function propertyProblem(
  property: string,
  target: Target,
): { readonly problem: string; readonly instead: string } | undefined {
  if (property.startsWith('--')) {
    return undefined;
  }
  const fact = css.properties[property];
  if (fact !== undefined) {
    return exists(fact, target)
      ? undefined
      : { problem: 'newer than the oldest host', instead: 'an older property' };
  }
  if (allowedProperties.some((entry) => entry.name === property)) {
    return undefined;
  }
  const mentioned = css.mentioned[property];
  const problem =
    mentioned === undefined ? 'undocumented property' : `no page, only ${mentioned.evidence}`;
  return { problem, instead: noteOf(property) ?? 'a property with a page' };
}

function checkDeclaration(file: string, node: Declaration, target: Target): Problem[] {
  const { property } = node;
  if (property.startsWith('--')) {
    return [];
  }
  const shown = `${property}: ${generate(node.value)}`;
  const wrong = propertyProblem(property, target);
  if (wrong !== undefined) {
    return [{ file, ...placeOf(node), name: property, ...wrong }];
  }
  const problems: Problem[] = [];
  const add = (problem: string, instead: string): void => {
    problems.push({ file, ...placeOf(node), name: shown, problem, instead });
  };
  const denied = noteOf(shown);
  if (denied !== undefined) {
    add('stated to be unsupported', denied);
  } else {
    checkValue(node, add);
  }
  return problems;
}

function checkValue(node: Declaration, add: (problem: string, instead: string) => void): void {
  const { property } = node;
  const values = css.properties[property]?.values;
  const open = values === undefined || values.some((value) => value.startsWith('('));
  walk(node.value, (part) => {
    if (part.type === 'Identifier') {
      if (!open && !values.includes(part.name)) {
        add('undocumented value', values.join(', '));
      }
      if (property === 'font-family' && genericFamilies.has(part.name)) {
        add('generic families are not recognised', 'name fonts of both systems');
      }
    } else if (part.type === 'Number') {
      if (property === 'font-weight' && values?.includes(part.value) === false) {
        add('undocumented weight', values.join(', '));
      }
    } else if (part.type === 'Dimension') {
      if (!units.has(part.unit)) {
        add(`undocumented unit ${part.unit}`, css.units.join(', '));
      }
      if (property === 'letter-spacing' && part.value.startsWith('-')) {
        add('negative values are invalid', 'a positive value');
      }
    } else if (part.type === 'Function' && !functions.has(part.name)) {
      add(`undocumented function ${part.name}()`, [...functions].join(', '));
    }
  });
  const isVariable = generate(node.value).includes('var(');
  if (!isVariable && lexer.matchProperty(property, node.value).error !== null) {
    // The host has the value "wrap", which the web does not.
    if (property !== 'white-space') {
      add('not a value of this property', 'a valid value');
    }
  }
}

function checkFeature(
  node: Extract<CssNode, { type: 'Feature' }>,
  add: (node: CssNode, name: string, problem: string, instead: string) => void,
): void {
  const fact = Object.entries(css.mediaFeatures).find(
    ([name, { forms }]) => name === node.name || forms?.includes(node.name) === true,
  )?.[1];
  if (fact === undefined || (fact.forms !== undefined && !fact.forms.includes(node.name))) {
    add(
      node,
      `(${node.name})`,
      'undocumented media feature',
      'min-width, max-width, min-height, max-height, prefers-color-scheme',
    );
    return;
  }
  const value = node.value === null ? '' : generate(node.value);
  if (fact.values !== undefined && !fact.values.includes(value)) {
    add(node, `(${node.name}: ${value})`, 'undocumented value', fact.values.join(', '));
  }
}

function checkSelector(
  selector: Selector,
  target: Target,
  add: (node: CssNode, name: string, problem: string, instead: string) => void,
): void {
  const text = generate(selector);
  let tag = '';
  selector.children.forEach((part) => {
    if (part.type === 'TypeSelector') {
      tag = part.name;
      const found = tag === '*' ? undefined : elementProblem(tag, target);
      if (found !== undefined) {
        add(part, found.name, found.problem, found.instead);
      }
    } else if (part.type === 'Combinator') {
      tag = '';
      if (!combinators.has(part.name)) {
        add(part, part.name, 'undocumented combinator', 'a space, >, + or ~');
      }
    } else if (part.type === 'PseudoClassSelector') {
      const whole = generate(part);
      if (whole !== ':not(:first-child)' && css.pseudoClasses[`:${part.name}`] === undefined) {
        add(part, whole, 'undocumented pseudo-class', 'a class set by the script');
      } else if (tag.startsWith('sp-') && ['checked', 'disabled', 'enabled'].includes(part.name)) {
        add(part, text, 'does not work on widgets', `[${part.name}]`);
      }
    } else if (
      part.type === 'PseudoElementSelector' &&
      !css.pseudoElements.includes(`::${part.name}`)
    ) {
      add(part, `::${part.name}`, 'undocumented pseudo-element', css.pseudoElements.join(', '));
    }
  });
}

/** The note in the data about an unsupported property, `property: value` or at-rule; undefined if there is none. */
function noteOf(name: string): string | undefined {
  const wanted = name.replace(/\s+/g, '');
  const found = css.unsupported.find(({ properties }) =>
    properties?.some((property) => {
      // An entry that names only a property does not rule out its values.
      return property.replace(/\s+/g, '') === wanted;
    }),
  );
  if (found === undefined) {
    return undefined;
  }
  return found.note ?? `nothing of the kind: no ${found.feature}`;
}

function placeOf(node: CssNode): { at?: string } {
  const start = node.loc?.start;
  return start === undefined ? {} : { at: `${start.line}:${start.column}` };
}
