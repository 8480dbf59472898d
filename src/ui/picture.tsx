import type { VNode } from 'preact';
import { mediaTypeOf } from '../host/media-type.js';
import { Icon } from './controls.js';

type Kind = 'picture' | 'document' | 'video';

/** The kind of a file, by its name. */
export function kindOf(name: string): Kind {
  const type = mediaTypeOf(name);
  if (type === 'application/pdf') {
    return 'document';
  }
  return type.startsWith('video/') ? 'video' : 'picture';
}

/**
 * A small picture; a sign in its place while there is none. A document and a film have their sign on it, too.
 * @param source  a data URL
 */
export function Picture({
  source,
  class: className,
  kind = 'picture',
}: {
  readonly source: string | null;
  readonly class: string;
  readonly kind?: Kind;
}): VNode {
  return (
    <div class={`picture ${className}`}>
      {source === null ? <Icon name={kind} /> : <img src={source} />}
      {source !== null && kind !== 'picture' && (
        <div class="kind">
          <Icon name={kind} />
        </div>
      )}
    </div>
  );
}
