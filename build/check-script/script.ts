import type { AnyNode, Program } from 'acorn';
import { fullAncestor } from 'acorn-walk';
import type { Reference, ScopeManager } from 'eslint-scope';
import { analyze } from 'eslint-scope';
import type { Target } from '../../uxp-api/index.js';
import type { Problem } from '../problem.js';

/** A node of the script, and the nodes around it, outermost first. */
export interface Placed {
  readonly node: AnyNode;
  readonly parents: readonly AnyNode[];
}

/** A script that is being checked: its nodes, its variables, and the problems found so far. */
export class Script {
  readonly nodes: readonly Placed[];
  /** Each use of a name that nothing in the script declares. */
  readonly freeReferences: readonly Reference[];
  readonly problems: Problem[] = [];
  readonly #scopes: ScopeManager;
  readonly #free: ReadonlySet<unknown>;

  constructor(
    readonly file: string,
    program: Program,
    readonly target: Target,
  ) {
    const nodes: Placed[] = [];
    fullAncestor(program, (node, _state, ancestors) => {
      nodes.push({ node, parents: ancestors.slice(0, -1) });
    });
    this.nodes = nodes;
    this.#scopes = analyze(program as Parameters<typeof analyze>[0], {
      ecmaVersion: 2020,
      sourceType: 'script',
    });
    this.freeReferences = this.#scopes.globalScope?.through ?? [];
    this.#free = new Set(this.freeReferences.map((reference) => reference.identifier));
  }

  /** The name, if an expression is a name that the script does not declare. */
  freeName(node: AnyNode): string | undefined {
    return node.type === 'Identifier' && this.#free.has(node) ? node.name : undefined;
  }

  /** The variable that the use of an identifier refers to. */
  variableOf(identifier: AnyNode): Reference['resolved'] {
    this.#byIdentifier ??= new Map(
      this.#scopes.scopes
        .flatMap((scope) => scope.references)
        .map((reference) => [reference.identifier, reference.resolved]),
    );
    return this.#byIdentifier.get(identifier) ?? null;
  }
  #byIdentifier: Map<unknown, Reference['resolved']> | undefined;

  /** The variable that an identifier declares. */
  declared(id: AnyNode): Reference['resolved'] | undefined {
    return this.#scopes.scopes
      .flatMap((scope) => scope.variables)
      .find((variable) => (variable.identifiers as readonly unknown[]).includes(id));
  }

  add(node: AnyNode, name: string, problem: string, instead: string): void {
    const start = node.loc?.start;
    this.problems.push({
      file: this.file,
      ...(start === undefined ? {} : { at: `${start.line}:${start.column + 1}` }),
      name,
      problem,
      instead,
    });
  }
}
