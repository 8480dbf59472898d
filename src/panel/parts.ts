import type { PanelPart, PartSources } from '../ui/view.js';

type AllOf<T> = (T extends unknown ? (part: T) => void : never) extends (parts: infer All) => void
  ? All
  : never;

/** Joins the parts of the features. The compiler refuses a list that lacks one. */
export function joinParts<T extends PartSources<PanelPart>>(parts: readonly T[]): AllOf<T> {
  const contexts: readonly { readonly actions?: object }[] = parts.map(({ context }) => context);
  return {
    state: merged(parts.map(({ state }) => state)),
    context: { ...merged(contexts), actions: merged(contexts.map(({ actions = {} }) => actions)) },
  } as AllOf<T>;
}

function merged(objects: readonly object[]): Record<string, unknown> {
  return Object.fromEntries(objects.flatMap((object) => Object.entries<unknown>({ ...object })));
}
