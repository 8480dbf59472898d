import { Agent, request as httpRequest } from 'node:http';

import type { LoadClient, LoadRequest } from './loads.js';

/**
 * Lets every client send one request after the other, each on its own connection, for some seconds.
 * @returns how long each answer took, in milliseconds
 * @throws {Error} when an answer has another status than the load expects
 */
export async function drive(clients: readonly LoadClient[], seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients.length });
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  try {
    await Promise.all(
      clients.map(async (client) => {
        while (performance.now() < until) {
          const started = performance.now();
          const answer = await send(agent, client.next(), client.status);
          times.push(performance.now() - started);
          client.told?.(answer);
        }
      }),
    );
  } finally {
    agent.destroy();
  }
  return times;
}

function send(agent: Agent, load: LoadRequest, expected: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const { method, url, body } = load;
    const headers = { ...load.headers, 'content-length': String(Buffer.byteLength(body)) };
    const request = httpRequest(url, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === expected) {
          resolve(text);
        } else {
          reject(new Error(`${method} ${url} answered ${String(response.statusCode)}: ${text}`));
        }
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
