import { createHash } from 'node:crypto';
import type { PendingExchange } from '../../support/conversation.js';
import { ENDPOINT, UploadFixture } from '../fixture.js';

export interface FileRef {
  readonly name: string;
  readonly size: number;
}

interface Held extends FileRef {
  readonly sha256: string;
  readonly client_upload_id: string | null;
  readonly created_at: string;
}

export const isQuestion = ({ request: { url } }: PendingExchange): boolean =>
  url === `${ENDPOINT}/known`;

/** The files that a question is about. */
export function filesOf({ request: { body } }: PendingExchange): FileRef[] {
  if (typeof body !== 'string') throw new Error('no question');
  return (JSON.parse(body) as { files: FileRef[] }).files;
}

/** Uploads to a service that has some of the photos and reports them on request. */
export class DuplicateCheckFixture extends UploadFixture {
  override hasKnownUploads = true;
  held: Held[] = [];
  /** The files of each question. */
  asked: FileRef[][] = [];

  /** How the question is answered. */
  answer = (exchange: PendingExchange, files: readonly FileRef[]): void => {
    const known = this.held.filter(({ name, size }) =>
      files.some((file) => file.name === name && file.size === size),
    );
    exchange.respond(200, {}, { known });
  };

  /** A first start, or another one. */
  async begin(): Promise<void> {
    await this.start();
    await this.clock.settle();
  }

  holds(text: string, id: string | null = 'f'.repeat(32), name = `${text}.jpg`): void {
    this.held.push({
      name,
      size: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
      client_upload_id: id,
      created_at: '2026-11-22T12:00:00Z',
    });
  }

  /** Answers everything on the wire, and what follows, as long as there is anything. */
  async answerAll(): Promise<void> {
    for (let idle = 0; idle < 20; idle += 1) {
      for (let open = this.network.open[0]; open; open = this.network.open[0]) {
        idle = 0;
        if (isQuestion(open)) {
          const files = filesOf(open);
          this.asked.push(files);
          this.answer(open, files);
        } else this.respond(open);
        await this.clock.settle();
      }
      await this.clock.advance(250);
    }
  }

  async add(...texts: string[]): Promise<void> {
    await this.uploads.addPhotos(texts.map((text) => this.photo(text)));
    await this.answerAll();
  }

  standing(): string[] {
    return this.list
      .slice(0, Infinity)
      .map(({ record, phase }) => `${record.name} ${phase} ${record.failure ?? ''}`.trim());
  }
}
