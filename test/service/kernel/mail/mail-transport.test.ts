import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { clientName, openMailTransport } from '../../../../service/kernel/mail/mail-transport.js';
import { startMailServer } from '../../support/mail-server.js';

const FROM = { name: 'Müller, "Studio" <x@y.example>', address: 'mail@studio.example' };
const BASE_URL = 'https://workspace.example';
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

    await openMailTransport({ smtpUrl: server.url, from: FROM }, BASE_URL).send(MAIL);

    expect(server.received).toMatchObject([
      { to: ['ada@studio.example'], subject: 'Hello Bcc: x@y.example' },
    ]);
    const [head = ''] = server.received[0]?.source.split(/\r?\n\r?\n/) ?? [];
    expect(head).not.toMatch(/^Bcc:/m);
    expect(head).toMatch(/^From: .*<mail@studio.example>$/m);
  });

  it.each([
    [550, '5.1.1 no such user', 'RCPT TO', true, 'EENVELOPE 550 5.1.1'],
    [556, '5.1.10 the domain has no mail', 'RCPT TO', true, 'EENVELOPE 556 5.1.10'],
    [550, 'no such user', 'RCPT TO', true, 'EENVELOPE 550'],
    [553, 'no such mailbox', 'RCPT TO', true, 'EENVELOPE 553'],
    [451, '4.7.1 greylisted', 'RCPT TO', false, 'EENVELOPE 451 4.7.1'],
    [550, '5.7.1 relaying denied', 'RCPT TO', false, 'EENVELOPE 550 5.7.1'],
    [504, '5.5.2 <x>: Helo command rejected', 'RCPT TO', false, 'EENVELOPE 504 5.5.2'],
    [553, '5.1.7 sender not valid', 'RCPT TO', false, 'EENVELOPE 553 5.1.7'],
    [550, '5.1.8 sender domain not found', 'RCPT TO', false, 'EENVELOPE 550 5.1.8'],
    [550, '5.4.5 daily limit exceeded', 'RCPT TO', false, 'EENVELOPE 550 5.4.5'],
    [530, 'authentication required', 'RCPT TO', false, 'EENVELOPE 530'],
    [554, 'client host rejected', 'RCPT TO', false, 'EENVELOPE 554'],
    [530, '5.7.0 authentication required', 'MAIL FROM', false, 'EENVELOPE 530 5.7.0'],
    [550, '5.1.1 no such sender', 'MAIL FROM', false, 'EENVELOPE 550 5.1.1'],
    [554, '5.6.0 message refused', 'DATA', true, 'EMESSAGE 554 5.6.0'],
    [552, '5.2.2 mailbox full', 'DATA', true, 'EMESSAGE 552 5.2.2'],
    [550, 'message refused', 'DATA', true, 'EMESSAGE 550'],
    [550, '5.4.5 daily limit exceeded', 'DATA', false, 'EMESSAGE 550 5.4.5'],
    [554, '5.7.1 sender not allowed', 'DATA', false, 'EMESSAGE 554 5.7.1'],
  ] as const)(
    'rejects after %i %s to %s, for good: %j',
    async (status, reply, at, isPermanent, codes) => {
      const server = await mailServer();
      server.refuses(status, reply, at);

      const sending = openMailTransport({ smtpUrl: server.url, from: FROM }, BASE_URL).send(MAIL);

      const message = `the mail server did not accept a mail (${codes} at ${at})`;
      await expect(sending).rejects.toMatchObject({ message, isPermanent });
    },
  );

  it.each([
    ['https://workspace.example', 'workspace.example'],
    ['https://workspace.example:8443', 'workspace.example'],
    ['http://localhost:8780', 'studio.example'],
    ['https://203.0.113.7', 'studio.example'],
    ['https://[2001:db8::7]', 'studio.example'],
    ['http://workspace', 'studio.example'],
  ])('introduces the service at %s as %s', async (baseUrl, name) => {
    const server = await mailServer();
    await openMailTransport({ smtpUrl: server.url, from: FROM }, baseUrl).send(MAIL);
    expect(server.received[0]?.clientName).toBe(name);
  });

  it.each([
    ['mail@localhost', '[192.0.2.7]'],
    ['mail@studio', '[192.0.2.7]'],
    ['mail@[127.0.0.1]', '[192.0.2.7]'],
    ['mail@mail.localhost', '[192.0.2.7]'],
    ['mail@localhost.localdomain', '[192.0.2.7]'],
    ['mail@müller.example', 'xn--mller-kva.example'],
  ])('introduces the service at localhost, with mail from %s, as %s', (sender, name) => {
    const [netmask, mac, cidr] = ['255.255.255.0', '00:00:00:00:00:00', null];
    const interfaces = {
      lo: [{ address: '127.0.0.1', netmask, mac, cidr, internal: true, family: 'IPv4' as const }],
      eth: [{ address: '192.0.2.7', netmask, mac, cidr, internal: false, family: 'IPv4' as const }],
    };
    expect(clientName('http://localhost:8780', sender, interfaces)).toBe(name);
  });

  it('rejects while nothing listens, with a message without the address and the password', async () => {
    const closed = await startMailServer();
    await closed.close();
    const smtpUrl = closed.url.replace('//', '//user:secret@');

    const sending = openMailTransport({ smtpUrl, from: FROM }, BASE_URL).send(MAIL);

    await expect(sending).rejects.toMatchObject({
      message: 'the mail server did not accept a mail (ESOCKET at CONN)',
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

    const sending = openMailTransport({ smtpUrl, from: FROM }, BASE_URL).send(MAIL);

    await expect(sending).rejects.toMatchObject({ isPermanent: false });
    expect(heard.join('')).toMatch(/EHLO/);
    expect(heard.join('')).not.toContain('AUTH');
  });
});
