import type { AnyNode } from 'acorn';
import { html } from '../../uxp-api/index.js';
import { attributeProblem, elementProblem } from '../../uxp-api/html-rules.js';
import type { Script } from './script.js';

/** Reports an element that the oldest host does not document. */
export function checkElement(script: Script, node: AnyNode, tag: string): void {
  const found = elementProblem(tag, script.target);
  if (found !== undefined) {
    script.add(node, found.name, found.problem, found.instead);
  }
}

/**
 * Reports an attribute that the oldest host does not document for this element.
 * @param tag '*' when the element is not known: then only an attribute that is wrong on every element is reported
 * @param value undefined when it is not known
 */
export function checkAttribute(
  script: Script,
  node: AnyNode,
  tag: string,
  name: string,
  value: string | undefined,
): void {
  const tags =
    tag === '*' ? ['div', ...Object.keys(html.elements), ...Object.keys(html.widgets)] : [tag];
  const found = tags.map((each) => attributeProblem(each, name, value, script.target));
  const [first] = found;
  if (first === undefined || found.includes(undefined)) {
    return;
  }
  const shown = tag === '*' ? `attribute ${name}` : first.name;
  script.add(node, shown, first.problem, first.instead);
}
