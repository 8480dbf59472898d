import { afterEach, describe, expect, it } from '@jest/globals';
import { useService } from '../support/use-service.js';
import { RawConnection } from './raw-connection.js';

/** An upload address that is refused before its body has come, in chunks. */
const REFUSED = [
  'PATCH /api/v1/uploads/some-upload?x=1 HTTP/1.1',
  ...['Host: localhost', 'Transfer-Encoding: chunked', 'Content-Type: text/plain', '', ''],
].join('\r\n');

describe('malformed HTTP', () => {
  let connection: RawConnection;

  const service = useService();
  afterEach(() => {
    connection.cut();
  });

  const statuses = (): string[] =>
    [...connection.text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '');

  // @threat S5
  it('gets no second response after an answered request', async () => {
    connection = await RawConnection.open(service.baseUrl);
    connection.send(`${REFUSED}3\r\nabc\r\n`);
    await connection.answer();
    connection.send('no chunk\r\n');

    await connection.ended();
    expect(statuses()).toEqual(['404']);
  });

  it('gets no response after the last one of a connection', async () => {
    connection = await RawConnection.open(service.baseUrl);
    connection.send('GET /?x=%ed%a0%80 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n=');

    await connection.ended();
    expect(statuses()).toEqual(['400']);
  });

  it.each([
    ['a body before any answer', 'POST /settings/sign-in', 'Transfer-Encoding: chunked', '400'],
    ['headers that are too large', 'GET /healthz', `X: ${'x'.repeat(20_000)}`, '431'],
    ['a header without a name', 'GET /healthz', ': x', '400'],
  ])('gets one response: %s', async (_what, line, header, status) => {
    connection = await RawConnection.open(service.baseUrl);
    connection.send(`${line} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\nno chunk\r\n`);

    await connection.ended();
    expect(statuses()).toEqual([status]);
  });

  it('gets its response after those of the valid requests', async () => {
    connection = await RawConnection.open(service.baseUrl);
    connection.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await connection.answer();
    connection.send('nonsense\r\n\r\n');

    await connection.ended();
    expect(statuses()).toEqual(['200', '400']);
  });
});
