import { afterEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';

import { startShapingProxy, type LineShape, type ShapingProxy } from '../../bench/shaping-proxy.js';

let server: Server;
let proxy: ShapingProxy;

afterEach(async () => {
  await proxy.close();
  await new Promise((resolve) => server.close(resolve));
});

/** An echo server behind a shaped line. */
async function echoBehind(shape: LineShape): Promise<void> {
  server = createServer({ allowHalfOpen: true }, (socket) =>
    socket.pipe(socket).on('error', () => undefined),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await startShapingProxy((server.address() as AddressInfo).port, shape);
}

/** Sends bytes and the end of the connection; returns the echoed bytes. */
function echo(bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(proxy.port, '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('end', () => {
      resolve(Buffer.concat(received));
    });
    socket.on('error', reject);
    socket.end(bytes);
  });
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('the shaping proxy', () => {
  it('carries every byte in order, also beyond its window', async () => {
    await echoBehind({ delayMs: 2, windowBytes: 64 * 1024 });
    const bytes = randomBytes(3_000_000);
    expect(hash(await echo(bytes))).toBe(hash(bytes));
  });

  it('delivers nothing sooner than the delay of both directions', async () => {
    await echoBehind({ delayMs: 40 });
    const started = performance.now();
    await echo(Buffer.from('x'));
    // No upper limit: a busy machine is slower, but nothing may be faster than the line.
    expect(performance.now() - started).toBeGreaterThanOrEqual(79);
  });

  it('limits all connections together to its rate', async () => {
    await echoBehind({ delayMs: 0, bytesPerSecond: 1_000_000 });
    const started = performance.now();
    await Promise.all([echo(randomBytes(100_000)), echo(randomBytes(100_000))]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(199);
  });

  it('ends its connections when it is closed', async () => {
    await echoBehind({ delayMs: 1 });
    const socket = connect(proxy.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    await proxy.close();
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});
