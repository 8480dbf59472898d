import { existsSync } from 'node:fs';
import * as nodePath from 'node:path';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { parse } from 'parse5';
import { attributeProblem, elementProblem } from '../uxp-api/html-rules.js';
import type { Target } from '../uxp-api/index.js';
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
  const check = new PageCheck(distDir, file, target);
  check.visit(parse(source, { sourceCodeLocationInfo: true }));
  return check.problems;
}

class PageCheck {
  readonly problems: Problem[] = [];

  constructor(
    private readonly distDir: string,
    private readonly file: string,
    private readonly target: Target,
  ) {}

  visit(node: Node): void {
    if ('tagName' in node) {
      this.checkElement(node);
    }
    if ('childNodes' in node) {
      for (const child of node.childNodes) {
        this.visit(child);
      }
    }
  }

  private add(node: Element, name: string, problem: string, instead: string): void {
    const location = node.sourceCodeLocation;
    const at = location ? { at: `${location.startLine}:${location.startCol}` } : {};
    this.problems.push({ file: this.file, ...at, name, problem, instead });
  }

  private checkElement(node: Element): void {
    // The parser adds missing html, head and body elements. The content of an svg element is not checked.
    if (node.namespaceURI.endsWith('/svg') && node.tagName !== 'svg') {
      return;
    }
    const { tagName } = node;
    const found = elementProblem(tagName, this.target);
    if (found !== undefined) {
      this.add(node, found.name, found.problem, found.instead);
    }
    for (const { name, value } of node.attrs) {
      this.checkAttribute(node, name, value);
    }
    if (tagName === 'script') {
      this.checkScriptTag(node);
    }
    if (tagName === 'link') {
      this.checkLink(node);
    }
    if (tagName === 'style') {
      const text = node.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
      this.problems.push(...checkStyleSheet(this.file, text, this.target));
    }
  }

  private checkAttribute(node: Element, name: string, value: string): void {
    if (name === 'style') {
      for (const wrong of checkDeclarations(this.file, value, this.target)) {
        this.add(node, wrong.name, wrong.problem, wrong.instead);
      }
      return;
    }
    const wrong = attributeProblem(node.tagName, name, value, this.target);
    if (wrong !== undefined && node.tagName !== 'svg') {
      this.add(node, wrong.name, wrong.problem, wrong.instead);
    }
  }

  private checkScriptTag(node: Element): void {
    if (valueOf(node, 'type') === 'module') {
      this.add(node, 'script type="module"', 'does not run', 'a classic script');
    }
    const src = valueOf(node, 'src');
    if (src === undefined) {
      this.add(node, '<script> without src', 'inline scripts are not local files', 'a script file');
    } else {
      this.checkLocal(node, src);
    }
  }

  private checkLink(node: Element): void {
    if (valueOf(node, 'rel') !== 'stylesheet') {
      this.add(node, '<link>', 'only style sheets are documented', 'rel="stylesheet"');
    }
    const href = valueOf(node, 'href');
    if (href !== undefined) {
      this.checkLocal(node, href);
    }
  }

  private checkLocal(node: Element, reference: string): void {
    const isLocal = !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(reference);
    if (!isLocal) {
      this.add(node, reference, 'only files of the plugin load', 'a file in the bundle');
    } else if (!existsSync(nodePath.join(this.distDir, nodePath.dirname(this.file), reference))) {
      this.add(node, reference, 'no such file in the bundle', 'a file that exists');
    }
  }
}

function valueOf(node: Element, name: string): string | undefined {
  return node.attrs.find((attribute) => attribute.name === name)?.value;
}
