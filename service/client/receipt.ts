import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose';
import { markScripted } from './base.js';
import { localTime, showLocalTimes } from './times.js';
import { verbatim } from './verbatim.js';

/* The script of the page that verifies receipts. Receipt and photos stay in the browser. */

/** The parts of a receipt that this page reads; `service/delivery/receipts/receipt.ts` has all. */
interface Receipt {
  readonly iss: string;
  readonly iat: number;
  readonly workspace: string;
  readonly issued_to: string;
  readonly uploads: readonly {
    readonly name: string;
    readonly sha256: string;
    readonly uploaded: string;
  }[];
}

/** A file of the user, with its SHA-256 in hex; undefined while it is being read, null if it cannot be read. */
interface Checked {
  readonly name: string;
  readonly row: HTMLLIElement;
  sha256: string | null | undefined;
}

/** Larger files are hashed part by part: the browser's own hash takes whole files only. */
const WHOLE_BYTES = 256 * 1024 * 1024;

/** Larger files are no receipts. */
const MAX_RECEIPT_BYTES = 64 * 1024 * 1024;

class ReceiptCheck {
  private receipt: Receipt | undefined;
  /** Why there is no receipt: a name of the words on the page. */
  private problem: 'changed' | 'noReceipt' | 'failed' | undefined;
  private readonly files: Checked[] = [];
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly drop: HTMLElement,
    private readonly verdict: HTMLElement,
    private readonly list: HTMLElement,
  ) {}

  start(): void {
    const input = this.drop.querySelector('input');
    input?.addEventListener('change', () => {
      this.add([...(input.files ?? [])]);
      input.value = '';
    });
    document.addEventListener('dragover', (event) => {
      event.preventDefault();
      this.drop.classList.add('over');
    });
    document.addEventListener('dragleave', ({ relatedTarget }) => {
      this.drop.classList.toggle('over', relatedTarget !== null);
    });
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      this.drop.classList.remove('over');
      this.add([...(event.dataTransfer?.files ?? [])]);
    });
  }

  /** Files are read one after another, so that few of them are in memory. */
  private add(files: readonly File[]): void {
    for (const file of files) {
      const isReceipt = file.name.endsWith('.jws');
      const checked = isReceipt ? undefined : this.addRow(file);
      this.last = this.last.then(async () => {
        if (checked === undefined) {
          await this.readReceipt(file);
        } else {
          checked.sha256 = await sha256(file).catch(() => null);
        }
        this.show();
      });
    }
    this.show();
  }

  private addRow({ name }: File): Checked {
    const checked: Checked = { name, row: document.createElement('li'), sha256: undefined };
    this.files.push(checked);
    this.list.append(checked.row);
    return checked;
  }

  private async readReceipt(file: File): Promise<void> {
    this.receipt = undefined;
    this.problem = undefined;
    try {
      const jws = file.size > MAX_RECEIPT_BYTES ? '' : (await file.text()).trim();
      if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(jws)) {
        this.problem = 'noReceipt';
        return;
      }
      const answer = await fetch(this.drop.dataset['keys'] ?? '');
      const keys = createLocalJWKSet((await answer.json()) as JSONWebKeySet);
      const { payload, protectedHeader } = await compactVerify(jws, keys, {
        algorithms: ['ES256'],
      });
      if (protectedHeader.typ !== 'upload-receipt+jwt') {
        this.problem = 'noReceipt';
        return;
      }
      // The signature is the service's own: so is the form.
      this.receipt = JSON.parse(new TextDecoder().decode(payload)) as Receipt;
    } catch (error) {
      this.problem = error instanceof errors.JOSEError ? 'changed' : 'failed';
    }
  }

  private show(): void {
    const { receipt, files } = this;
    this.verdict.replaceChildren(...this.verdictParts());
    const bySum = new Map(receipt?.uploads.map((upload) => [upload.sha256, upload]));
    const names = new Set(receipt?.uploads.map(({ name }) => comparable(name)));
    for (const { name, row, sha256: sum } of files) {
      const same = bySum.get(sum ?? '');
      const [kind, words] =
        sum === undefined
          ? ['', this.words('reading')]
          : sum === null
            ? ['other', this.words('unreadable')]
            : receipt === undefined
              ? ['', '']
              : same !== undefined
                ? ['same', this.words('unchanged').replace('{time}', timeOf(same.uploaded))]
                : ['other', this.words(names.has(comparable(name)) ? 'different' : 'absent')];
      row.replaceChildren(nameAndState(name, words, kind));
    }
  }

  private verdictParts(): HTMLElement[] {
    const { receipt, problem, files } = this;
    if (problem !== undefined) {
      return [paragraph(this.words(problem), 'problem')];
    }
    if (receipt === undefined) {
      return files.length === 0 ? [] : [paragraph(this.words('missing'), 'box')];
    }
    const { iss: issuer, workspace, issued_to: user } = receipt;
    const signed = document.createElement('div');
    signed.className = 'good';
    const sentence = paragraph('', '');
    sentence.append(...withNames(this.words('signed'), { issuer }));
    signed.append(sentence);
    const about = paragraph('', '');
    about.append(...withNames(this.words('about'), { workspace, user }));
    const issued = timeOf(new Date(receipt.iat * 1000).toISOString());
    const sums = new Set(files.map(({ sha256: sum }) => sum));
    const left = receipt.uploads.filter((upload) => !sums.has(upload.sha256)).length;
    const written = new Intl.NumberFormat(document.documentElement.lang).format(left);
    about.append(` · ${issued}`);
    return [
      signed,
      about,
      ...(left === 0 ? [] : [paragraph(this.words('left').replace('{count}', written), 'soft')]),
    ];
  }

  private words(name: string): string {
    return this.drop.dataset[name] ?? '';
  }
}

/** The SHA-256 of a file in hex. */
async function sha256(file: File): Promise<string> {
  const bytes =
    file.size <= WHOLE_BYTES
      ? new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
      : await sha256InParts(file);
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function sha256InParts(file: File): Promise<Uint8Array> {
  const { sha256: create } = await import('@noble/hashes/sha2.js');
  const hash = create.create();
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return hash.digest();
    }
    hash.update(value);
  }
}

/** Systems differ in how they compose letters, and some ignore capitals. */
function comparable(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function timeOf(time: string): string {
  return localTime(new Date(time), new Date(), document.documentElement.lang);
}

function paragraph(words: string, name: string): HTMLElement {
  const made = document.createElement('p');
  made.textContent = words;
  made.className = name;
  return made;
}

/** A sentence with names in place of its placeholders. */
function withNames(words: string, names: Readonly<Record<string, string>>): (Node | string)[] {
  return words.split(/(\{\w+\})/).map((part) => {
    const name = names[part.slice(1, -1)];
    return name === undefined ? part : verbatim(name);
  });
}

function nameAndState(name: string, state: string, kind: string): HTMLElement {
  const [box, heading] = [document.createElement('div'), document.createElement('h3')];
  heading.append(verbatim(name));
  box.append(heading, paragraph(state, `small ${kind}`));
  return box;
}

markScripted();
showLocalTimes();
const [drop, verdict, list] = ['.drop', '.verdict', 'ul.checked'].map((name) =>
  document.querySelector<HTMLElement>(name),
);
if (drop && verdict && list) {
  new ReceiptCheck(drop, verdict, list).start();
}
