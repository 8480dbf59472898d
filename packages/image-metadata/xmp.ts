/** More elements inside each other, longer names and more attributes of an element are not read. */
const MAX_LEVELS = 500;
const MAX_NAME = 256;
const MAX_ATTRIBUTES = 4096;
/** Of a longer comment the text is not read. */
const MAX_COMMENT = 4096;
const MAX_REFERENCE = 16;

const SPACE = 0x20;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const EQUALS = 0x3d;
const BANG = 0x21;
const QUESTION = 0x3f;
const BRACKET = 0x5d;
const QUOTES = [0x22, 0x27];

/** An attribute that is no namespace: where it begins, where its value does, and where it ends behind the quote. */
export interface XmpAttribute {
  readonly name: string;
  readonly at: number;
  readonly valueAt: number;
  readonly end: number;
}

/** What is in a packet, in order, with its places. */
export interface XmpHandler {
  /** One byte of a text or of the value of an attribute, or the character that a reference stands for. */
  character(code: number, isReference: boolean): void;
  /** A text has ended. It begins at -1 if it is only white space. Comments and sections are inside it. */
  text(from: number, to: number, element: string): void;
  /** Attributes, and declarations of namespaces, of an element come before its {@link startTag}. */
  attribute(attribute: XmpAttribute): void;
  namespace(prefix: string): void;
  startTag(name: string, from: number, to: number, isEmpty: boolean): void;
  endTag(to: number, from: number): void;
  /** @param text  null for a long one */
  comment?(text: string | null, from: number, to: number): void;
}

type State =
  | 'text'
  | 'open'
  | 'markup'
  | 'comment'
  | 'cdata'
  | 'instruction'
  | 'start-name'
  | 'end-name'
  | 'in-tag'
  | 'attribute-name'
  | 'before-equals'
  | 'before-value'
  | 'value'
  | 'empty-tag';

/**
 * Reads the XML of a packet byte by byte, so that the work is linear in its length and memory does not grow with it. Zeros
 * are skipped: a packet with several bytes for each character is read as if it had one.
 */
export class XmpReader {
  isMalformed = false;
  private state: State = 'text';
  private readonly levels: string[] = [];
  private steps = 0;
  private tagStart = 0;
  private attributeStart = 0;
  private attributes = 0;
  private valueStart = 0;
  private quote = 0;
  private name = '';
  private tag = '';
  private attribute = '';
  private markup = '';
  private last = 0;
  private beforeLast = 0;
  private brackets = 0;
  private textStart = -1;
  private reference: string | null = null;
  private hasElement = false;
  private position = 0;

  constructor(private readonly handler: XmpHandler) {}

  /** @param at  the place of the bytes in the packet */
  read(bytes: Uint8Array, at: number): void {
    for (let index = 0; index < bytes.length && !this.isMalformed; index += 1) {
      const byte = bytes[index] ?? 0;
      this.position = at + index + 1;
      if (byte !== 0) {
        this.next(byte, at + index);
        this.beforeLast = this.last;
        this.last = byte;
      }
    }
  }

  /** How many tags and attributes were read since the last call. */
  takeSteps(): number {
    const { steps } = this;
    this.steps = 0;
    return steps;
  }

  /** @returns whether the packet is well-formed */
  end(): boolean {
    this.endText(this.position);
    return (
      !this.isMalformed && this.state === 'text' && this.levels.length === 0 && this.hasElement
    );
  }

  private next(byte: number, at: number): void {
    switch (this.state) {
      case 'text':
        if (byte === LESS) {
          this.state = 'open';
          this.tagStart = at;
        } else {
          if (!isSpace(byte)) {
            this.startText(at);
          }
          this.inValue(byte);
        }
        return;
      case 'open':
        this.open(byte);
        return;
      case 'markup':
        this.inMarkup(byte);
        return;
      case 'comment':
        if (byte === GREATER && this.last === 0x2d && this.beforeLast === 0x2d) {
          const isLong = this.markup.length > MAX_COMMENT;
          const start = this.tagStart + 4;
          this.handler.comment?.(isLong ? null : this.markup, start, Math.max(start, at - 2));
          this.state = 'text';
        } else if (this.markup.length <= MAX_COMMENT) {
          this.markup += String.fromCharCode(byte);
        }
        return;
      case 'cdata':
        this.inSection(byte);
        return;
      case 'instruction':
        if (byte === GREATER && this.last === QUESTION) {
          this.state = 'text';
        }
        return;
      case 'start-name':
        if (isSpace(byte) || byte === SLASH || byte === GREATER) {
          this.tag = this.name;
          this.attributes = 0;
          this.state = 'in-tag';
          this.inTag(byte, at);
        } else {
          this.addToName(byte);
        }
        return;
      case 'end-name':
        if (byte === GREATER) {
          this.isMalformed ||= this.levels.pop() !== this.name;
          this.handler.endTag(at + 1, this.tagStart);
          this.state = 'text';
        } else if (!isSpace(byte)) {
          this.addToName(byte);
        }
        return;
      case 'in-tag':
        this.inTag(byte, at);
        return;
      case 'empty-tag':
        if (byte === GREATER) {
          this.startTag(at + 1, true);
        } else {
          this.isMalformed = true;
        }
        return;
      case 'attribute-name':
        if (byte === EQUALS || isSpace(byte)) {
          this.attribute = this.name;
          this.state = byte === EQUALS ? 'before-value' : 'before-equals';
        } else if (byte === LESS || byte === GREATER) {
          this.isMalformed = true;
        } else {
          this.addToName(byte);
        }
        return;
      case 'before-equals':
        if (byte === EQUALS) {
          this.state = 'before-value';
        } else if (!isSpace(byte)) {
          this.isMalformed = true;
        }
        return;
      case 'before-value':
        if (QUOTES.includes(byte)) {
          this.quote = byte;
          this.valueStart = at + 1;
          this.state = 'value';
        } else if (!isSpace(byte)) {
          this.isMalformed = true;
        }
        return;
      case 'value':
        if (byte === this.quote) {
          this.endAttribute(at);
        } else if (byte === LESS) {
          this.isMalformed = true;
        } else {
          this.inValue(byte);
        }
        return;
      default:
        this.isMalformed = true;
    }
  }

  private open(byte: number): void {
    this.steps += 1;
    this.markup = '';
    this.name = '';
    if (byte === BANG) {
      this.state = 'markup';
    } else if (byte === QUESTION) {
      this.state = 'instruction';
    } else {
      // Comments, sections and instructions are inside a text. Tags end it.
      this.endText(this.tagStart);
      if (byte === SLASH) {
        this.state = 'end-name';
      } else if (isSpace(byte) || byte === GREATER || byte === LESS) {
        this.isMalformed = true;
      } else {
        this.state = 'start-name';
        this.addToName(byte);
      }
    }
  }

  /** Behind `<!`. A document type may define entities. */
  private inMarkup(byte: number): void {
    this.markup += String.fromCharCode(byte);
    if (this.markup === '--') {
      this.state = 'comment';
      this.markup = '';
    } else if (this.markup === '[CDATA[') {
      this.state = 'cdata';
      this.startText(this.tagStart);
    } else if (!'--'.startsWith(this.markup) && !'[CDATA['.startsWith(this.markup)) {
      this.isMalformed = true;
    }
  }

  /** Two brackets and `>` end a section. Other brackets belong to its text. */
  private inSection(byte: number): void {
    if (byte === BRACKET) {
      this.brackets += 1;
      return;
    }
    const isEnd = byte === GREATER && this.brackets >= 2;
    for (let count = isEnd ? 2 : 0; count < this.brackets; count += 1) {
      this.handler.character(BRACKET, false);
    }
    this.brackets = 0;
    if (isEnd) {
      this.state = 'text';
    } else {
      this.handler.character(byte, false);
    }
  }

  private inValue(byte: number): void {
    if (this.reference !== null) {
      if (byte === SEMICOLON) {
        this.handler.character(decodeReference(this.reference), true);
        this.reference = null;
      } else if (this.reference.length < MAX_REFERENCE) {
        this.reference += String.fromCharCode(byte);
      }
    } else if (byte === AMPERSAND) {
      this.reference = '';
    } else {
      this.handler.character(byte, false);
    }
  }

  private startText(at: number): void {
    if (this.textStart < 0) {
      this.textStart = at;
    }
  }

  private endText(at: number): void {
    this.handler.text(this.textStart, at, this.levels[this.levels.length - 1] ?? '');
    this.textStart = -1;
    this.reference = null;
  }

  private inTag(byte: number, at: number): void {
    if (byte === GREATER) {
      this.startTag(at + 1, false);
    } else if (byte === SLASH) {
      this.state = 'empty-tag';
    } else if (byte === LESS || byte === EQUALS) {
      this.isMalformed = true;
    } else if (!isSpace(byte)) {
      this.name = '';
      this.addToName(byte);
      this.attributeStart = at;
      this.state = 'attribute-name';
      this.steps += 1;
      this.attributes += 1;
      this.isMalformed ||= this.attributes > MAX_ATTRIBUTES;
    }
  }

  /** @param at  the place of the closing quote */
  private endAttribute(at: number): void {
    const { attribute: name, attributeStart, valueStart: valueAt } = this;
    this.reference = null;
    if (name === 'xmlns' || name.startsWith('xmlns:')) {
      this.handler.namespace(name.slice(6));
    } else {
      this.handler.attribute({ name, at: attributeStart, valueAt, end: at + 1 });
    }
    this.state = 'in-tag';
  }

  private startTag(end: number, isEmpty: boolean): void {
    this.hasElement = true;
    if (!isEmpty) {
      this.levels.push(this.tag);
      this.isMalformed ||= this.levels.length > MAX_LEVELS;
    }
    this.handler.startTag(this.tag, this.tagStart, end, isEmpty);
    this.state = 'text';
  }

  private addToName(byte: number): void {
    this.name += String.fromCharCode(byte);
    this.isMalformed ||= this.name.length > MAX_NAME;
  }
}

/** The character of `&#103;`, `&#x67;` or a name; a space where it is none. */
function decodeReference(text: string): number {
  const names: Readonly<Record<string, number>> = { amp: 38, lt: 60, gt: 62, quot: 34, apos: 39 };
  if (text.startsWith('#')) {
    const code = /^#x/i.test(text) ? Number.parseInt(text.slice(2), 16) : Number(text.slice(1));
    return Number.isInteger(code) && code <= 0x10ffff ? code : SPACE;
  }
  return names[text] ?? SPACE;
}

export function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

/** Whether a packet has several bytes for each character. Some programs fill packets with zeros, but not at their start. */
export function isWide(packet: Uint8Array): boolean {
  return packet.subarray(0, 16).includes(0);
}
