/** The parts of smtp-server that the tests use. */
declare module 'smtp-server' {
  import type { Readable } from 'node:stream';
  import type { Server } from 'node:net';

  interface SmtpSession {
    readonly secure: boolean;
    /** The name in EHLO. */
    readonly hostNameAppearsAs: string;
    readonly envelope: { readonly rcptTo: readonly { readonly address: string }[] };
  }

  type Done = (error?: Error | null) => void;

  interface SmtpServerOptions {
    readonly logger?: boolean;
    readonly authOptional?: boolean;
    readonly disabledCommands?: readonly string[];
    readonly onMailFrom?: (
      address: { readonly address: string },
      session: SmtpSession,
      done: Done,
    ) => void;
    readonly onRcptTo?: (
      address: { readonly address: string },
      session: SmtpSession,
      done: Done,
    ) => void;
    readonly onData?: (stream: Readable, session: SmtpSession, done: Done) => void;
  }

  export class SMTPServer {
    constructor(options: SmtpServerOptions);
    readonly server: Server;
    listen(port: number, host: string, listening: () => void): Server;
    close(closed: () => void): void;
  }
}
