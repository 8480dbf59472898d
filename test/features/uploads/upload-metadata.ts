import type { PendingExchange } from '../../support/conversation.js';

/** The metadata of a creation; undefined for other requests. */
export function metadataOf({
  request: { headers },
}: Pick<PendingExchange, 'request'>): Record<string, string> {
  const pairs = (headers['Upload-Metadata'] ?? '').split(',').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', value = ''] = pair.split(' ');
      return [name, Buffer.from(value, 'base64').toString()];
    }),
  );
}
