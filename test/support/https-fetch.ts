import { request } from 'node:https';

/**
 * The part of `fetch` that the tests' browser and client use, over TLS that trusts one authority and nothing else: the
 * trust of Node's own `fetch` is that of the whole process.
 *
 * @param ca the authority's certificate, PEM
 */
export function httpsFetch(ca: string): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const asked = new Request(input, { ...init, redirect: 'manual' });
      const headers = new Headers(init.headers ?? asked.headers);
      const type = asked.headers.get('content-type');
      if (type !== null) headers.set('content-type', type);
      const sent = request(
        asked.url,
        { method: asked.method, headers: Object.fromEntries(headers), ca, agent: false },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => {
            const received = new Headers();
            for (const [name, value] of Object.entries(answer.headersDistinct))
              for (const each of value ?? []) received.append(name, each);
            resolve(
              new Response(Buffer.concat(chunks), {
                status: answer.statusCode ?? 0,
                headers: received,
              }),
            );
          });
        },
      );
      sent.on('error', reject);
      asked.arrayBuffer().then((body) => sent.end(Buffer.from(body)), reject);
    });
}
