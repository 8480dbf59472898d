import { describe, expect, it } from '@jest/globals';
import { JSDOM } from 'jsdom';
import {
  markXmp,
  readMarks,
  UnwritableError,
  type XmpMarks,
} from '../../../packages/image-metadata/index.js';
import fc from '../../support/properties.js';
import { SIDECARS, withoutMarks } from '../../support/sidecars.js';

const MARKS: XmpMarks = { rating: 5, label: 'Rot & "grün"' };
const RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';
const XMP = 'xmlns:xmp="http://ns.adobe.com/xap/1.0/"';

function marked(text: string, marks: XmpMarks): string {
  return Buffer.from(markXmp(Buffer.from(text), marks)).toString();
}

/** A packet with one description. */
function packet(attributes: string, content = '', outer = ''): string {
  return `<rdf:RDF ${RDF}${outer}><rdf:Description${attributes} rdf:about="">${content}</rdf:Description></rdf:RDF>`;
}

/** What an XML parser that others wrote finds in the namespace of `xmp`, among the properties of the document itself. */
function parsed(text: string): readonly (readonly [name: string, value: string | null])[] {
  const root = new JSDOM(text.replace(/^\ufeff/, ''), { contentType: 'application/xml' }).window
    .document;
  const rdf = root.getElementsByTagNameNS('*', 'RDF')[0];
  return [...(rdf?.children ?? [])].flatMap((description) =>
    [...description.attributes, ...description.children]
      .filter(({ namespaceURI }) => namespaceURI === 'http://ns.adobe.com/xap/1.0/')
      .filter(({ localName }) => localName === 'Rating' || localName === 'Label')
      .map((one) => [one.localName, one.textContent] as const),
  );
}

describe.each(SIDECARS)('a sidecar of $name', ({ text }) => {
  it('gets rating and label, and keeps every other byte', () => {
    const result = marked(text, MARKS);
    expect(withoutMarks(result)).toBe(withoutMarks(text));
    expect(new Set(parsed(result).map((one) => one.join('=')))).toEqual(
      new Set(['Rating=5', 'Label=Rot & "grün"']),
    );
    expect(readMarks(Buffer.from(result))).toEqual(MARKS);
  });

  it('keeps what is not set, and is the same packet the second time', () => {
    const before = parsed(text).filter(([name]) => name === 'Label');
    const result = marked(text, { rating: 4, label: null });
    expect(parsed(result).filter(([name]) => name === 'Label')).toEqual(before);
    const bytes = Buffer.from(result);
    expect(markXmp(bytes, { rating: 4, label: null })).toBe(bytes);
  });
});

describe('markXmp', () => {
  it.each([
    ['declares the namespace', packet(''), packet(` ${XMP} xmp:Rating="3"`)],
    [
      'uses the prefix of an outer element',
      packet('', '', ' xmlns:a="http://ns.adobe.com/xap/1.0/"'),
      packet(' a:Rating="3"', '', ' xmlns:a="http://ns.adobe.com/xap/1.0/"'),
    ],
    [
      'takes another prefix where xmp is in use',
      packet(' xmlns:xmp="urn:other" xmp:Rating="1"'),
      packet(
        ' xmlns:xmp1="http://ns.adobe.com/xap/1.0/" xmp1:Rating="3" xmlns:xmp="urn:other" xmp:Rating="1"',
      ),
    ],
    [
      'follows the innermost declaration of a prefix',
      packet(` ${XMP}`, '', ' xmlns:xmp="urn:other"'),
      packet(` xmp:Rating="3" ${XMP}`, '', ' xmlns:xmp="urn:other"'),
    ],
    [
      'leaves a default namespace alone',
      packet(' xmlns="http://ns.adobe.com/xap/1.0/"'),
      packet(` ${XMP} xmp:Rating="3" xmlns="http://ns.adobe.com/xap/1.0/"`),
    ],
    [
      'keeps declarations of an empty element',
      packet('', `<xmp:Rating ${XMP} />`),
      packet('', `<xmp:Rating ${XMP} >3</xmp:Rating>`),
    ],
    [
      'replaces an element with its qualifier',
      packet('', `<xmp:Rating ${XMP} xml:lang="de">1</xmp:Rating>`),
      packet('', `<xmp:Rating ${XMP} xml:lang="de">3</xmp:Rating>`),
    ],
    [
      'adds a description where there is none',
      `<rdf:RDF ${RDF}>\n</rdf:RDF>`,
      `<rdf:RDF ${RDF}>\n<rdf:Description rdf:about="" ${RDF} ${XMP} xmp:Rating="3"/></rdf:RDF>`,
    ],
  ])('%s', (_what, before, after) => {
    expect(marked(before, { rating: 3, label: null })).toBe(after);
  });

  it('makes a packet with the marks only', () => {
    const text = Buffer.from(markXmp(null, MARKS)).toString();
    expect(parsed(text)).toEqual([
      ['Rating', '5'],
      ['Label', 'Rot & "grün"'],
    ]);
    expect(text).toMatch(/^<\?xpacket begin="\ufeff" id="\w+"\?>\n[^]*<\?xpacket end="w"\?>$/);
  });

  it.each([
    ['an unfinished packet', '<rdf:RDF><rdf:Description>'],
    ['a packet without RDF', '<a/>'],
    ['an empty file', ''],
    ['a document type', `<!DOCTYPE a>${packet('')}`],
    ['a rating with a structure', packet('', `<xmp:Rating ${XMP}><rdf:Alt/></xmp:Rating>`)],
    ['a rating in an attribute of its element', packet('', `<xmp:Rating ${XMP} rdf:value="2"/>`)],
    ['UTF-16 without a mark', Buffer.from(packet(''), 'utf16le')],
    ['UTF-16', Buffer.from(`\ufeff${packet('')}`, 'utf16le')],
    ['bytes that are no UTF-8', Buffer.from(packet(' a="ü"'), 'latin1')],
  ])('refuses %s', (_what, given) => {
    expect(() => markXmp(Buffer.from(given as string), MARKS)).toThrow(UnwritableError);
  });

  it('writes every text so that a parser reads it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (label) => {
        fc.pre(label.trim() !== '' && !/[\p{Cc}\ufffe\uffff\ud800-\udfff]/u.test(label));
        const result = parsed(marked(packet(` ${XMP} xmp:Label="old"`), { rating: null, label }));
        expect(result).toEqual([['Label', label]]);
      }),
    );
  });
});

describe('readMarks', () => {
  it.each([
    ['5', 5],
    [' -1 ', -1],
    ['3.0', 3],
    ['+2', 2],
    ['five', null],
    ['', null],
  ])('reads a rating of "%s" as %p', (value, rating) => {
    const text = packet(` ${XMP} xmp:Rating="${value}"`);
    expect(readMarks(Buffer.from(text))).toEqual({ rating, label: null });
  });
});
