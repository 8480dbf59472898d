import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { domainToASCII } from 'node:url';
import { isLoopback } from '../http/loopback.js';

/** How to send mail. Both members are checked. */
export interface MailOptions {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the first byte. */
  readonly smtpUrl: string;
  readonly from: { readonly name: string; readonly address: string };
}

/** One mail to one recipient. */
export interface Mail {
  /** An address as `readMailAddress` returns it. */
  readonly to: string;
  /**
   * Part of the Message-ID: a mail that is sent again, after a crash before the server's answer was stored, has the same one, so that
   * mailboxes recognise it. Undefined where each attempt is another mail.
   */
  readonly id?: string | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** What `cid:` addresses in the HTML lead to. */
  readonly pictures?: readonly { readonly cid: string; readonly jpeg: Buffer }[];
  /** Ends such mails for a POST ([RFC 8058](https://www.rfc-editor.org/rfc/rfc8058)). */
  readonly unsubscribeUrl?: string;
}

export interface MailTransport {
  /** @throws {MailError} when the mail was not accepted. */
  send(mail: Mail): Promise<void>;
}

/** A mail that was not sent. The message has no address and no credentials, and may be logged. */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** @param isPermanent whether the server will not accept this mail later either. */
  constructor(
    message: string,
    readonly isPermanent: boolean,
  ) {
    super(message);
  }
}

/** How long the server may be silent, in milliseconds. */
const SILENCE_MS = 10_000;
/** How long one mail may take, in milliseconds. */
const SEND_MS = 30_000;

/** The commands whose refusal may be about one mail or its recipient. That of all others is about the server or the sender. */
const ABOUT_THE_MAIL: ReadonlySet<unknown> = new Set(['RCPT TO', 'DATA']);

/** The enhanced status code of a reply ([RFC 2034 §4](https://www.rfc-editor.org/rfc/rfc2034#section-4)). */
const ENHANCED_CODE = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S)/;

/**
 * Enhanced codes about the address of the recipient, its mailbox, or the content
 * ([registry](https://www.iana.org/assignments/smtp-enhanced-status-codes)). Servers give refusals of the client and of the
 * sender as replies to RCPT, too: those have other codes.
 */
const REFUSES_THE_MAIL = /^5\.(?:1\.(?:[1236]|10)|2\.\d+|6\.\d+)$/;

/** Refusals of a mailbox, where no enhanced code gives the reason ([RFC 5321 §4.2.3](https://www.rfc-editor.org/rfc/rfc5321#section-4.2.3)). */
const REFUSES_THE_MAILBOX: ReadonlySet<number> = new Set([550, 551, 552, 553]);

/**
 * Opens a connection for each mail. Other machines than this one must offer TLS, since mails hold links that give access.
 * @param baseUrl the public address of the service, whose host introduces the service to the server
 */
export function openMailTransport({ smtpUrl, from }: MailOptions, baseUrl: string): MailTransport {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl);
  const isSecure = protocol === 'smtps:';
  const options = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isSecure ? 465 : 587),
    secure: isSecure,
    name: clientName(baseUrl, from.address, networkInterfaces()),
    requireTLS: !isSecure && !isLoopback(hostname),
    // A server on this machine has a certificate for another name, if any.
    ignoreTLS: !isSecure && isLoopback(hostname),
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    dnsTimeout: SILENCE_MS,
    connectionTimeout: SILENCE_MS,
    greetingTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return {
    send: async ({ to, id, subject, text, html, unsubscribeUrl, pictures = [] }) => {
      // A service that sends no mail does not load the library.
      const { createTransport } = await import('nodemailer');
      const transporter = createTransport(options);
      const sending = transporter.sendMail({
        from,
        ...(id !== undefined && { messageId: `<${id}@${domainOf(from.address)}>` }),
        // An object is taken as one address. A text would be parsed as a list of them.
        to: { name: '', address: to },
        subject: subject.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '),
        text,
        html,
        attachments: pictures.map(({ cid, jpeg }, index) => ({
          ...{ cid, content: jpeg, contentType: 'image/jpeg' },
          ...{ filename: `${index + 1}.jpg`, contentDisposition: 'inline' as const },
        })),
        // Out-of-office replies are not wanted (RFC 3834 §5).
        headers: {
          'Auto-Submitted': 'auto-generated',
          'X-Auto-Response-Suppress': 'All',
          ...(unsubscribeUrl !== undefined && {
            'List-Unsubscribe': `<${unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
        },
      });
      await withTimeout(sending).catch((error: unknown) => {
        throw toMailError(error);
      });
    },
  };
}

/**
 * The name for EHLO ([RFC 5321 §4.1.1.1](https://www.rfc-editor.org/rfc/rfc5321#section-4.1.1.1)). Servers refuse a loopback
 * address and a name without a dot, which most containers have. Without a public name it is an address of this machine.
 */
export function clientName(
  baseUrl: string,
  sender: string,
  interfaces: ReturnType<typeof networkInterfaces>,
): string {
  const names = [new URL(baseUrl).hostname, domainOf(sender)].map((name) =>
    name.replace(/\.$/, ''),
  );
  const outer = Object.values(interfaces)
    .flatMap((ofOne) => ofOne ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  return names.find(isPublicName) ?? `[${outer?.address ?? '127.0.0.1'}]`;
}

function domainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1));
}

function isPublicName(name: string): boolean {
  const isAddress = isIP(name) !== 0 || name.startsWith('[');
  return (
    name.includes('.') && !isAddress && !/(?:^|\.)localdomain$/i.test(name) && !isLoopback(name)
  );
}

async function withTimeout(sending: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new MailError('the mail server took too long', false));
    }, SEND_MS);
  });
  try {
    await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps codes only: what a server answers may repeat the address, or the credentials. */
function toMailError(error: unknown): MailError {
  if (error instanceof MailError) {
    return error;
  }
  const { code, command, response, responseCode } = (error ?? {}) as SmtpError;
  const status = typeof responseCode === 'number' ? responseCode : 0;
  const enhanced = ENHANCED_CODE.exec(typeof response === 'string' ? response : '')?.[1];
  const known = [
    typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : 'unknown error',
    ...(status === 0 ? [] : [String(status)]),
    ...(enhanced === undefined ? [] : [enhanced]),
    ...(typeof command === 'string' && /^[A-Z]+(?: [A-Z0-9-]+)?$/.test(command)
      ? [`at ${command}`]
      : []),
  ];
  const refusesTheMail =
    enhanced === undefined ? REFUSES_THE_MAILBOX.has(status) : REFUSES_THE_MAIL.test(enhanced);
  return new MailError(
    `the mail server did not accept a mail (${known.join(' ')})`,
    status >= 500 && ABOUT_THE_MAIL.has(command) && refusesTheMail,
  );
}

/** What nodemailer adds to an error: its kind, the last command, and the reply of the server. */
interface SmtpError {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly response?: unknown;
  readonly responseCode?: unknown;
}
