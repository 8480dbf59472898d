import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openMailTransport } from '../../../../service/platform/mail/mail-transport.js';
import { startMailServer } from '../../support/mail-server.js';

const FROM = { name: 'Müller, "Studio" <x@y.example>', address: 'mail@studio.example' };
const MAIL = {
  to: 'ada@studio.example',
  subject: 'Hello\r\nBcc: x@y.example',
  text: 't',
  html: 'h',
};

describe('the transport of mail', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  const mailServer = async (): Promise<Awaited<ReturnType<typeof startMailServer>>> => {
    const server = await startMailServer();
    closing.push(() => server.close());
    return server;
  };

  it('puts subject and sender into one header each', async () => {
    const server = await mailServer();

    await openMailTransport({ smtpUrl: server.url, from: FROM }).send(MAIL);

    expect(server.received).toMatchObject([
      { to: ['ada@studio.example'], subject: 'Hello Bcc: x@y.example' },
    ]);
    const [head = ''] = server.received[0]?.source.split(/\r?\n\r?\n/) ?? [];
    expect(head).not.toMatch(/^Bcc:/m);
    expect(head).toMatch(/^From: .*<mail@studio.example>$/m);
  });

  it.each([
    [550, true],
    [451, false],
  ])('rejects after status %i of the server, for good: %j', async (status, isPermanent) => {
    const server = await mailServer();
    server.refuses(status);

    const sending = openMailTransport({ smtpUrl: server.url, from: FROM }).send(MAIL);

    const message = `the mail server did not accept a mail (EENVELOPE ${status})`;
    await expect(sending).rejects.toMatchObject({ message, isPermanent });
  });

  it('rejects while nothing listens, with a message without the address and the password', async () => {
    const closed = await startMailServer();
    await closed.close();
    const smtpUrl = closed.url.replace('//', '//user:secret@');

    const sending = openMailTransport({ smtpUrl, from: FROM }).send(MAIL);

    await expect(sending).rejects.toMatchObject({
      message: 'the mail server did not accept a mail (ESOCKET)',
      isPermanent: false,
    });
  });

  it('sends no password to a server that offers no TLS, unless it is on this machine', async () => {
    const heard: string[] = [];
    const server: Server = createServer((socket) => {
      socket.write('220 mail.example ESMTP\r\n');
      socket.on('data', (bytes) => {
        heard.push(bytes.toString());
        socket.write('250-mail.example\r\n250 AUTH PLAIN\r\n');
      });
      socket.on('error', () => undefined);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    // A name of this machine that is not taken for a name of this machine.
    const smtpUrl = `smtp://user:secret@[::ffff:127.0.0.1]:${port}`;

    const sending = openMailTransport({ smtpUrl, from: FROM }).send(MAIL);

    await expect(sending).rejects.toMatchObject({ isPermanent: false });
    expect(heard.join('')).toMatch(/EHLO/);
    expect(heard.join('')).not.toContain('AUTH');
  });
});
