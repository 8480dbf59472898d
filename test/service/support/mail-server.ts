import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail as the server received it. */
export interface ReceivedMail {
  /** The recipients of the envelope. */
  readonly to: readonly string[];
  /** Headers and body, with soft line breaks removed and quoted-printable decoded. */
  readonly source: string;
  /** The same as it was sent. */
  readonly raw: string;
  /** The unfolded, decoded subject. */
  readonly subject: string;
  /** The name by which the client introduced itself. */
  readonly clientName: string;
}

/** The command that the server refuses. */
type Command = 'MAIL FROM' | 'RCPT TO' | 'DATA';

/** A refusal: a status, and what follows it. */
interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly at: Command;
}

/** A mail server on this machine that keeps what it receives. */
export interface MailServer {
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** The SMTP status for every recipient, or after another command, from now on; undefined accepts them. */
  refuses(status: number | undefined, text?: string, at?: Command): void;
  /** Calls this with each mail that has come, before the server answers. */
  beforeAnswer(wait: ((mail: ReceivedMail) => Promise<void>) | undefined): void;
  /** Calls this once, when the server refuses next. */
  onRefusal(seen: () => void): void;
  /** Leaves out of `next` what has come so far. */
  skip(): void;
  /** Waits for the next mail that `isWanted` accepts. */
  next(isWanted?: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/** How long a test waits for a mail, in milliseconds. */
const WAIT_MS = 20_000;

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let seen = 0;
  let refused: Refusal | undefined;
  let before: ((mail: ReceivedMail) => Promise<void>) | undefined;
  let seenRefusal: (() => void) | undefined;
  const problemAt = (command: Command): Error | null => {
    if (refused?.at !== command) {
      return null;
    }
    seenRefusal?.();
    seenRefusal = undefined;
    return Object.assign(new Error(refused.text), { responseCode: refused.status });
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom: (_address, _session, done) => {
      done(problemAt('MAIL FROM'));
    },
    onRcptTo: (_address, _session, done) => {
      done(problemAt('RCPT TO'));
    },
    onData: (stream, session, done) => {
      void text(stream).then(async (raw) => {
        const problem = problemAt('DATA');
        if (problem === null) {
          const to = session.envelope.rcptTo.map(({ address }) => address);
          const mail = toMail(raw, to, session.hostNameAppearsAs);
          received.push(mail);
          await before?.(mail);
        }
        done(problem);
      });
    },
  });
  const listening = once(server.server, 'listening');
  server.listen(0, '127.0.0.1', () => undefined);
  await listening;
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refuses: (status, reply = 'refused', at = 'RCPT TO') => {
      refused = status === undefined ? undefined : { status, text: reply, at };
    },
    beforeAnswer: (wait) => {
      before = wait;
    },
    onRefusal: (look) => {
      seenRefusal = look;
    },
    skip: () => {
      seen = received.length;
    },
    next: async (isWanted = () => true) => {
      const until = Date.now() + WAIT_MS;
      for (;;) {
        if (Date.now() > until) {
          throw new Error('no such mail came');
        }
        const found = received.slice(seen).find(isWanted);
        if (found !== undefined) {
          seen = received.indexOf(found) + 1;
          return found;
        }
        await sleep(20);
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
}

/** The first link with this path in a mail. */
export function linkIn({ source }: ReceivedMail, baseUrl: string): string {
  const [link = ''] = new RegExp(`${baseUrl}/[^\\s"]*`).exec(source) ?? [];
  return link.replace(baseUrl, '');
}

function toMail(raw: string, to: readonly string[], clientName: string): ReceivedMail {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  const [, folded = ''] = /^Subject: (.*(?:\r\n[ \t].*)*)/m.exec(head) ?? [];
  const subject = folded
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_all, kind: string, coded: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(coded, 'base64').toString()
        : unquote(coded.replaceAll('_', ' ')),
    );
  return { to, subject, clientName, raw, source: unquote(raw.replaceAll('=\r\n', '')) };
}

function unquote(coded: string): string {
  return Buffer.from(
    coded.replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString();
}
