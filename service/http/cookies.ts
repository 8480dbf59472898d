import type { IncomingMessage } from 'node:http';

/** The value of a cookie that came with a request, as it was sent; empty when it did not come. */
export function cookieIn(request: IncomingMessage, name: string): string {
  const pairs = (request.headers.cookie ?? '').split(/; */);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}
