import type { VNode } from 'preact';
import { Icon } from './controls.js';

/** A small picture; a sign in its place while there is none. @param source  a data URL */
export function Picture({
  source,
  class: className,
}: {
  readonly source: string | null;
  readonly class: string;
}): VNode {
  return (
    <div class={`picture ${className}`}>
      {source === null ? <Icon name="picture" /> : <img src={source} />}
    </div>
  );
}
