import { describe, expect, it } from '@jest/globals';
import { documentIdOf, instanceIdOf, XMP_CHARACTERS } from '../../src/util/xmp.js';

const DID = 'xmp.did:8f2a61c0-4d5b-4b1c-9b1e-0a1b2c3d4e5f';

/** An XMP packet whose Description has these attributes and elements. */
function packet(attributes: string, elements = ''): string {
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="Adobe XMP Core 9.1-c002">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about="" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" ${attributes}>
   ${elements}
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>`;
}

const PANTRY = `<xmpMM:Pantry><rdf:Bag><rdf:li><rdf:Description xmpMM:DocumentID="xmp.did:part"/></rdf:li></rdf:Bag></xmpMM:Pantry>`;

describe('documentIdOf', () => {
  it.each([
    ['an attribute', packet(`xmpMM:DocumentID="${DID}"`), DID],
    ['an attribute in single quotes', packet(`xmpMM:DocumentID = '${DID}'`), DID],
    ['an element', packet('', `<xmpMM:DocumentID>${DID}</xmpMM:DocumentID>`), DID],
    ['an element on lines', packet('', `<xmpMM:DocumentID>\n ${DID}\n </xmpMM:DocumentID>`), DID],
    ['the old prefix', packet(`xapMM:DocumentID="uuid:CAFE"`), 'uuid:CAFE'],
    [
      'a newer form',
      packet('xmpMM:DocumentID="adobe:docid:photoshop:1a2b"'),
      'adobe:docid:photoshop:1a2b',
    ],
    [
      'both identities',
      packet(`xmpMM:OriginalDocumentID="xmp.did:original" xmpMM:DocumentID="${DID}"`),
      DID,
    ],
    [
      'only the original one',
      packet('xmpMM:OriginalDocumentID="xmp.did:original"'),
      'xmp.did:original',
    ],
    [
      'that of a part first',
      packet('', `${PANTRY}<xmpMM:DocumentID>${DID}</xmpMM:DocumentID>`),
      DID,
    ],
    ['200 characters', packet(`xmpMM:DocumentID="${'x'.repeat(200)}"`), 'x'.repeat(200)],
  ])('gives the identity written as %s', (_what, xmp, id) => {
    expect(documentIdOf(xmp)).toBe(id);
  });

  it.each([
    ['nothing', ''],
    [
      'an identity behind the limit',
      packet('', `${' '.repeat(XMP_CHARACTERS)}<xmpMM:DocumentID>${DID}</xmpMM:DocumentID>`),
    ],
    ['no identity', packet('xmp:Rating="5"')],
    ['only that of a part', packet('', PANTRY)],
    [
      'only that of what it is derived from',
      packet('', '<xmpMM:DerivedFrom stRef:documentID="xmp.did:a"/>'),
    ],
    ['an empty one', packet('xmpMM:DocumentID=""', '<xmpMM:DocumentID></xmpMM:DocumentID>')],
    ['spaces in it', packet('xmpMM:DocumentID="xmp did"')],
    ['other than ASCII in it', packet('xmpMM:DocumentID="xmp.did:é"')],
    ['markup in it', packet('xmpMM:DocumentID="a&quot;b"')],
    ['more than 200 characters', packet(`xmpMM:DocumentID="${'x'.repeat(201)}"`)],
  ])('gives null for a packet with %s', (_what, xmp) => {
    expect(documentIdOf(xmp)).toBeNull();
  });

  it.each([
    '<xmpMM:DocumentID ',
    'xmpMM:DocumentID=',
    'xmpMM:DocumentID="a ',
    '<xmpMM:Pantry',
    '<xmpMM:DocumentID>',
  ])('takes little time for a packet of nothing but %s', (part) => {
    const started = performance.now();
    expect(documentIdOf(part.repeat(XMP_CHARACTERS / part.length))).toBeNull();
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

it('gives the instance', () => {
  expect(instanceIdOf(packet(`xmpMM:DocumentID="${DID}" xmpMM:InstanceID="xmp.iid:1"`))).toBe(
    'xmp.iid:1',
  );
});
