import { existsSync } from 'node:fs';
import * as nodePath from 'node:path';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { parse } from 'parse5';
import { attributeProblem, elementProblem } from '../host-surface/html-rules.js';
import type { Target } from '../host-surface/index.js';
import { checkDeclarations, checkStyleSheet } from './check-style.js';
import type { Problem } from './problem.js';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Checks a page of the plugin: elements, attributes, scripts, style sheets. */
export function checkPage(
  distDir: string,
  file: string,
  source: string,
  target: Target,
): Problem[] {
  const problems: Problem[] = [];
  const add = (node: Element, name: string, problem: string, instead: string): void => {
    const location = node.sourceCodeLocation;
    const at = location ? { at: `${location.startLine}:${location.startCol}` } : {};
    problems.push({ file, ...at, name, problem, instead });
  };
  const visit = (node: Node): void => {
    if ('tagName' in node) {
      checkElement(node);
    }
    if ('childNodes' in node) {
      for (const child of node.childNodes) {
        visit(child);
      }
    }
  };
  const checkElement = (node: Element): void => {
    // The parser completes html, head and body; svg has an inner life of its own.
    if (node.namespaceURI.endsWith('/svg') && node.tagName !== 'svg') {
      return;
    }
    const { tagName } = node;
    const found = elementProblem(tagName, target);
    if (found !== undefined) {
      add(node, found.name, found.problem, found.instead);
    }
    for (const { name, value } of node.attrs) {
      if (name === 'style') {
        for (const wrong of checkDeclarations(file, value, target)) {
          add(node, wrong.name, wrong.problem, wrong.instead);
        }
        continue;
      }
      const wrong = attributeProblem(tagName, name, value, target);
      if (wrong !== undefined && tagName !== 'svg') {
        add(node, wrong.name, wrong.problem, wrong.instead);
      }
    }
    if (tagName === 'script') {
      checkScriptTag(node);
    }
    if (tagName === 'link') {
      checkLink(node);
    }
    if (tagName === 'style') {
      const text = node.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
      problems.push(...checkStyleSheet(file, text, target));
    }
  };
  const checkScriptTag = (node: Element): void => {
    if (valueOf(node, 'type') === 'module') {
      add(node, 'script type="module"', 'does not run', 'a classic script');
    }
    const src = valueOf(node, 'src');
    if (src === undefined) {
      add(node, '<script> without src', 'inline scripts are not local files', 'a script file');
    } else {
      checkLocal(node, src);
    }
  };
  const checkLink = (node: Element): void => {
    if (valueOf(node, 'rel') !== 'stylesheet') {
      add(node, '<link>', 'only style sheets are documented', 'rel="stylesheet"');
    }
    const href = valueOf(node, 'href');
    if (href !== undefined) {
      checkLocal(node, href);
    }
  };
  const checkLocal = (node: Element, reference: string): void => {
    const isLocal = !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(reference);
    if (!isLocal) {
      add(node, reference, 'only files of the plugin load', 'a file in the bundle');
    } else if (!existsSync(nodePath.join(distDir, nodePath.dirname(file), reference))) {
      add(node, reference, 'no such file in the bundle', 'a file that exists');
    }
  };
  visit(parse(source, { sourceCodeLocationInfo: true }));
  return problems;
}

function valueOf(node: Element, name: string): string | undefined {
  return node.attrs.find((attribute) => attribute.name === name)?.value;
}
