import { deflateSync } from 'node:zlib';
import { element, webm } from './films.js';
import {
  Fraction,
  iptc,
  photoshopFile,
  png,
  raf,
  tiffFile,
  webp,
  withExif,
  withResources,
  withSegment,
  withXmp,
  xmp,
  type Directory,
} from './camera-files.js';
import { gifWithXmp, mrw, withFotoStation } from './further-formats.js';
import { cr3, heicWith } from './heic.js';

/** A word that is in every file below where its location is. */
export const SECRET = 'Secretgarden';
export const JPEG = Buffer.from('ffd8ffdb00040000ffda000200ffd9', 'hex');
const PLACE: Directory = {
  1: 'N',
  2: [new Fraction(52, 1), new Fraction(31, 1), new Fraction(1234, 100)],
  28: Buffer.from(`ASCII\0\0\0${SECRET}`),
};
export const GPS: Directory = { 0x110: 'Camera', 0x8825: PLACE };
export const XMP = xmp('photoshop:Headline="Kept"', `<photoshop:City>${SECRET}</photoshop:City>`);

export function box(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const data = Buffer.concat(parts.map((part) => Buffer.from(part as string, 'latin1')));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + data.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, data]);
}
export const zeros = (length: number): Buffer => Buffer.alloc(length);
const simpleTag = (name: string, text: string): Buffer =>
  element('67c8', element('45a3', name), element('4487', text));
const webmTag = (name: string, text: string): Buffer => element('7373', simpleTag(name, text));
export const FTYP = box('ftyp', 'isom\0\0\0\0isom');
const hdlr = (handler: string): Buffer => box('hdlr', zeros(8), handler, zeros(13));
const track = (handler: string, sample: string): Buffer =>
  box(
    'trak',
    box('tkhd', zeros(84)),
    box(
      'mdia',
      hdlr(handler),
      box('minf', box('stbl', box('stsd', zeros(7), '\u0001', box(...split(sample))))),
    ),
  );
function split(sample: string): [string, string] {
  return [sample.slice(0, 4), sample.slice(4)];
}
const movie = (...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([FTYP, box('moov', box('mvhd', zeros(100)), ...parts), box('mdat', 'pixels')]);
const VIDEO = track('vide', 'avc1');
const PLACE_BOX = box('udta', box('\u00a9xyz', `\0\u0012\u0015\u00c7+52.5+013.4/${SECRET}`));
const KEYS = box(
  'meta',
  hdlr('mdta'),
  box(
    'keys',
    zeros(7),
    '\u0002',
    box('mdta', 'com.apple.quicktime.make'),
    box('mdta', 'com.apple.quicktime.location.ISO6709'),
  ),
  box(
    'ilst',
    box('\0\0\0\u0001', box('data', zeros(8), 'Apple')),
    box('\0\0\0\u0002', box('data', zeros(8), SECRET)),
  ),
);
const XMP_UUID = Buffer.from('be7acfcb97a942e89c71999491e3afac', 'hex');
const XMP_BOX = box('uuid', XMP_UUID, XMP);
const JP2 = Buffer.concat([box('jP  ', '\r\n\u0087\n'), box('ftyp', 'jp2 \0\0\0\0jp2 ')]);

export const inJpeg = (text: Buffer | string): Buffer =>
  withSegment(
    JPEG,
    Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), Buffer.from(text)]),
  );
const inDescription = (properties: string): Buffer => inJpeg(xmp('', properties));
const part = (offset: number, whole: string, text: string): Buffer => {
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(whole.length);
  numbers.writeUInt32BE(offset, 4);
  const head = Buffer.from(`http://ns.adobe.com/xmp/extension/\0${'A'.repeat(32)}`);
  return Buffer.concat([head, numbers, Buffer.from(text)]);
};
const CUT = XMP.indexOf(SECRET) + 4;
export const bigPng = (...chunks: readonly (readonly [string, Buffer])[]): Buffer =>
  png([
    ['IHDR', Buffer.alloc(13)],
    ...Array.from({ length: 20 }, () => ['IDAT', Buffer.alloc(8192, 7)] as const),
    ...chunks,
    ['IEND', Buffer.alloc(0)],
  ]);
export const inText = (text: string): Buffer => Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${text}`);
const gif = (...parts: readonly (Buffer | string)[]): Buffer =>
  Buffer.concat([
    Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0', 'latin1'),
    ...parts.map((part) => Buffer.from(part as string, 'latin1')),
    Buffer.from(';'),
  ]);
const GIF_TRAILER = Buffer.from([1, ...Array.from({ length: 256 }, (_, index) => 255 - index), 0]);
const pdf = (dictionary: string, data: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from(`%PDF-1.7\n1 0 obj\n<<${dictionary}/Length ${data.length}>>\nstream\n`),
    Buffer.from(data as string),
    Buffer.from('\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>'),
  ]);
const samsung = (name: string, data: Buffer): Buffer => {
  const head = Buffer.from([0, 0, 0x30, 0x0a, name.length, 0, 0, 0]);
  const block = Buffer.concat([head, Buffer.from(name), data]);
  const directory = Buffer.alloc(12 + 12 + 8);
  directory.write('SEFH');
  directory.writeUInt32LE(1, 8);
  directory.writeUInt32LE(block.length, 16);
  directory.writeUInt32LE(block.length, 20);
  directory.writeUInt32LE(24, 24);
  directory.write('SEFT', 28);
  return Buffer.concat([block, directory]);
};
const exr = (...attributes: readonly (readonly [string, string, Buffer])[]): Buffer =>
  Buffer.concat([
    Buffer.from([0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0]),
    ...attributes.flatMap(([name, type, value]) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(value.length);
      return [Buffer.from(`${name}\0${type}\0`), length, value];
    }),
    Buffer.from('\0pixels'),
  ]);

/** Files whose location is removed. Each has {@link SECRET} there. */
export const REMOVED: Readonly<Record<string, Buffer>> = {
  'EXIF in a JPEG': withExif(JPEG, GPS),
  'a tag of a WebM': webm(
    element('1254c367', element('bf', zeros(4)), webmTag('LOCATION', SECRET)),
  ),
  'a tag in a tag of a WebM': webm(
    element(
      '1254c367',
      element('7373', element('67c8', element('45a3', 'ARTIST'), simpleTag('CITY', SECRET))),
    ),
  ),
  'bytes in a tag of a WebM': webm(
    element('1254c367', element('7373', element('67c8', element('4485', SECRET)))),
  ),
  'the title of a WebM': webm(element('1549a966', element('7ba9', `GPS ${SECRET}`))),
  'the name of a track of a WebM': webm(
    element('1654ae6b', element('ae', element('83', '\x01'), element('536e', `geo: ${SECRET}`))),
  ),
  'a file in a WebM': webm(element('1941a469', SECRET), element('1f43b675', 'x')),
  'empty space in a WebM': webm(element('ec', SECRET)),
  'a tag behind clusters without a length': webm(
    Buffer.from('1f43b67501ffffffffffffff', 'hex'),
    element('a3', 'frames'),
    element('1254c367', webmTag('LOCATION', SECRET)),
  ),
  'a segment behind bytes that fill': Buffer.concat([
    JPEG.subarray(0, 2),
    Buffer.from([0xff, 0xff, 0xff]),
    withExif(JPEG, GPS).subarray(2),
  ]),
  'EXIF between two scans': Buffer.concat([
    Buffer.from('ffd8ffda0004000001020300', 'hex'),
    withExif(JPEG, GPS).subarray(2),
  ]),
  'a second JPEG behind the first': Buffer.concat([JPEG, withExif(JPEG, GPS)]),
  'a second JPEG behind zeros': Buffer.concat([JPEG, zeros(99), withExif(JPEG, GPS)]),
  'anything behind a JPEG': Buffer.concat([JPEG, Buffer.from(SECRET)]),
  'a JPEG behind anything': Buffer.concat([JPEG, Buffer.from('x'.repeat(70)), withExif(JPEG, GPS)]),
  'a motion photo': Buffer.concat([JPEG, movie(VIDEO, PLACE_BOX)]),
  'a motion photo whose video has positions': Buffer.concat([
    JPEG,
    movie(track('meta', `gpmd${SECRET}`)),
  ]),
  'a motion photo of Samsung': Buffer.concat([
    JPEG,
    samsung('MotionPhoto_Data', movie(VIDEO, KEYS)),
  ]),
  'the mobile network of Samsung': Buffer.concat([JPEG, samsung('MCC_Data', Buffer.from(SECRET))]),
  'a comment of a JPEG': withSegment(JPEG, Buffer.from(`GPS 52.5, 13.4 ${SECRET}`), 0xfe),
  'an unknown segment': withSegment(JPEG, Buffer.from(`GoPro\0${SECRET}`), 0xe6),
  'content credentials': withSegment(JPEG, Buffer.from(`JP exif:GPSLatitude ${SECRET}`), 0xeb),
  'unknown notes of a camera': withExif(JPEG, {
    0x8769: { 0x927c: Buffer.from(`notes about ${SECRET}`) },
  }),
  'IPTC in notes of a camera': withExif(JPEG, {
    0x8769: {
      0x927c: Buffer.concat([Buffer.from('Nikon\0\u0002\u0010\0\0'), iptc([[90, SECRET]])]),
    },
  }),
  'unknown content credentials': withSegment(JPEG, Buffer.from(`credentials ${SECRET}`), 0xeb),
  IPTC: withResources(JPEG, [
    [
      1028,
      iptc([
        [5, 'Kept'],
        [90, SECRET],
      ]),
    ],
  ]),
  'keywords in IPTC': withResources(JPEG, [[1028, iptc([[25, `geo:lat=52.5 ${SECRET}`]])]]),
  'IPTC that is damaged': withResources(JPEG, [[1028, Buffer.from(`?${SECRET}`)]]),
  'a thumbnail in resources': withResources(JPEG, [
    [1036, Buffer.concat([Buffer.from([0, 0, 0, 1]), zeros(24), withExif(JPEG, GPS)])],
  ]),
  XMP: inJpeg(XMP),
  'XMP attributes': inJpeg(xmp(`exif:GPSLatitude="${SECRET}" dc:format="kept"`)),
  'XMP with rdf:value': inDescription(
    `<exif:GPSLatitude rdf:parseType="Resource"><rdf:value>${SECRET}</rdf:value></exif:GPSLatitude>`,
  ),
  'an XMP list': inDescription(
    `<Iptc4xmpExt:LocationShown><rdf:Bag><rdf:li><x:Name>${SECRET}</x:Name></rdf:li></rdf:Bag></Iptc4xmpExt:LocationShown>`,
  ),
  'nested descriptions': inDescription(
    `<xmpMM:Pantry><rdf:Bag><rdf:li><rdf:Description><exif:GPSLongitude>${SECRET}</exif:GPSLongitude></rdf:Description></rdf:li></rdf:Bag></xmpMM:Pantry>`,
  ),
  'XMP with a comment inside': inDescription(
    `<exif:GPSLatitude><!-- > </exif:GPSLatitude> -->${SECRET}</exif:GPSLatitude>`,
  ),
  'XMP with a section inside': inDescription(
    `<exif:GPSLatitude><![CDATA[</exif:GPSLatitude>${SECRET}]]></exif:GPSLatitude>`,
  ),
  'a comment in XMP': inDescription(`<!-- latitude ${SECRET} --><a:b/>`),
  'geo:lat in XMP': inDescription(`<geo:lat>${SECRET}</geo:lat><geo:long>${SECRET}</geo:long>`),
  'keywords in XMP': inDescription(
    `<dc:subject><rdf:Bag><rdf:li>geo:lat=52.5 ${SECRET}</rdf:li></rdf:Bag></dc:subject>`,
  ),
  'keywords with references': inDescription(
    `<dc:subject><rdf:Bag><rdf:li>&#x67;eo&#58;lat=52.5 ${SECRET}</rdf:li></rdf:Bag></dc:subject>`,
  ),
  'keywords with a comment inside': inDescription(`<dc:x>ge<!-- -->o:lat=${SECRET}</dc:x>`),
  'a position as a URI': inDescription(`<dc:relation>geo:52.5,13.4;${SECRET}</dc:relation>`),
  'a picture in Base64': inDescription(`<GImage:Data>/9j/4AAQ${SECRET}</GImage:Data>`),
  'XMP in UTF-16': inJpeg(Buffer.from(`\u{feff}${XMP}`, 'utf16le')),
  'XMP in UTF-16, the other order': inJpeg(Buffer.from(`\u{feff}${XMP}`, 'utf16le').swap16()),
  'XMP in UTF-32': inJpeg(
    Buffer.concat(Array.from(XMP, (one) => Buffer.from([0, 0, 0, one.charCodeAt(0)]))),
  ),
  'XMP with a document type': inJpeg(`<!DOCTYPE a [<!ENTITY b "${SECRET}">]>${XMP}`),
  'XMP that is not well-formed': inJpeg(`<a><exif:GPSLatitude>${SECRET}</b></a>`),
  'XMP in two parts': withSegment(
    withSegment(JPEG, part(CUT, XMP, XMP.slice(CUT))),
    part(0, XMP, XMP.slice(0, CUT)),
  ),
  'a TIFF': tiffFile(GPS),
  'a big-endian TIFF': tiffFile({ ...GPS, 0x2bc: Buffer.from(XMP) }, { header: 'MM\0*' }),
  'a TIFF with resources': tiffFile({
    0x8649: photoshopFile([[1060, Buffer.from(XMP)]]).subarray(34, -500),
  }),
  'a raw file of Panasonic': tiffFile({ 0x2e: withExif(JPEG, GPS) }, { header: 'IIU\0' }),
  'a raw file of Fuji': raf(withExif(JPEG, GPS)),
  'a raw file of Minolta': Buffer.concat([
    Buffer.from('\0MRM\0\0\0\0\0TTW'),
    tiffFile(GPS, { header: 'MM\0*' }),
  ]),
  'a Photoshop file': photoshopFile([
    [1058, tiffFile(GPS)],
    [1060, Buffer.from(XMP)],
  ]),
  'a PNG': bigPng(['eXIf', tiffFile(GPS)]),
  'XMP in a PNG, behind its pixels': bigPng(['iTXt', inText(XMP)]),
  'a text of a PNG': bigPng(['tEXt', Buffer.from(`Comment\0GPS ${SECRET}`)]),
  'a keyword of a PNG': bigPng(['tEXt', Buffer.from(`Location\0${SECRET}`)]),
  'a profile in a PNG': bigPng(['tEXt', Buffer.from(`Raw profile type exif\0${SECRET}`)]),
  'an unknown chunk': bigPng(['caBX', Buffer.from(SECRET)]),
  'anything behind a PNG': Buffer.concat([bigPng(), Buffer.from(SECRET)]),
  'a WebP': webp([
    ['EXIF', tiffFile(GPS)],
    ['XMP ', Buffer.from(XMP)],
  ]),
  'an unknown chunk of a WebP': webp([['GPS ', Buffer.from(SECRET)]]),
  'a HEIC': heicWith(tiffFile(GPS), Buffer.from(XMP)),
  'a HEIC with a video': Buffer.concat([
    heicWith(tiffFile({ 0x110: 'Camera' }), Buffer.alloc(0)),
    box('mpvd', movie(VIDEO, PLACE_BOX)),
  ]),
  'a CR3': cr3({
    first: tiffFile({ 0x110: 'C' }),
    photo: tiffFile({ 0x110: 'C' }),
    gps: tiffFile(PLACE),
    xmp: Buffer.from(XMP),
  }),
  'an MP4': movie(VIDEO, PLACE_BOX),
  'the place of 3GPP': movie(VIDEO, box('udta', box('loci', `\0\0\0\0\u0015\u00c7${SECRET}\0`))),
  'the keys of a MOV': movie(VIDEO, KEYS),
  'the place of a track': movie(box('trak', PLACE_BOX)),
  'XMP in an MP4': Buffer.concat([movie(VIDEO), XMP_BOX]),
  'free space of an MP4': Buffer.concat([movie(VIDEO), box('free', SECRET)]),
  'an unknown box': movie(VIDEO, box('udta', box('GPMF', SECRET))),
  'a GIF with XMP': gif('!\u00ff\u000bXMP DataXMP', XMP, GIF_TRAILER),
  'a comment of a GIF': gif(
    '!\u00fe',
    String.fromCharCode(SECRET.length + 4),
    `gps ${SECRET}`,
    '\0',
  ),
  'an unknown extension of a GIF': gif(
    '!\u00ff\u000bABCDEFGHIJK',
    String.fromCharCode(SECRET.length),
    SECRET,
    '\0',
  ),
  'a JPEG 2000 with XMP': Buffer.concat([JP2, XMP_BOX]),
  'a JPEG 2000 with EXIF': Buffer.concat([JP2, box('uuid', 'JpgTiffExif->JP2', tiffFile(GPS))]),
  'a JPEG 2000 with GML': Buffer.concat([JP2, box('asoc', box('lbl ', SECRET))]),
  'a JPEG XL': Buffer.concat([
    box('JXL ', '\r\n\u0087\n'),
    box('Exif', zeros(4), tiffFile(GPS)),
    box('xml ', XMP),
  ]),
  'a compressed box of a JPEG XL': Buffer.concat([
    box('JXL ', '\r\n\u0087\n'),
    box('brob', `xml ${SECRET}`),
  ]),
  'an XMP sidecar': Buffer.from(`<?xpacket begin="\u{feff}"?>${XMP}<?xpacket end="w"?>`),
  'XMP in a PDF': pdf('/Type/Metadata/Subtype/XML', XMP),
  'a picture in a PDF': pdf('/Subtype/Image/Filter/DCTDecode', withExif(JPEG, GPS)),
  'resources in a PDF': pdf(
    '/A 1',
    photoshopFile([[1028, iptc([[90, SECRET]])]]).subarray(34, -500),
  ),
  'attributes of OpenEXR': exr(
    ['capDate', 'string', Buffer.from('kept')],
    ['latitude', 'float', Buffer.from(SECRET)],
  ),
};

const GUARD = zeros(0);
const matroska = Buffer.from(`\u001a\u0045\u00df\u00a3matroska${SECRET}`, 'latin1');
const smartObject = Buffer.from('8BIMlnkD\0\0\0\u0008embedded', 'latin1');
/** Files that cannot be searched, and why. */
export const REFUSED: Readonly<Record<string, readonly [Buffer, string]>> = {
  'a WebM with subtitles': [
    webm(element('1654ae6b', element('ae', element('83', '\x11')))),
    'timed-metadata',
  ],
  'an embedded smart object': [
    Buffer.concat([
      photoshopFile([]).subarray(0, 34),
      Buffer.from([0, 0, 0, smartObject.length]),
      smartObject,
    ]),
    'embedded-files',
  ],
  'positions of GoPro': [movie(VIDEO, track('meta', 'gpmd')), 'timed-metadata'],
  'positions of Android': [movie(VIDEO, track('meta', 'camm')), 'timed-metadata'],
  'positions of Apple': [
    movie(track('meta', 'mebx....keydmdtacom.apple.quicktime.location.ISO6709')),
    'timed-metadata',
  ],
  subtitles: [movie(VIDEO, track('sbtl', 'tx3g')), 'timed-metadata'],
  'positions of a dash camera': [movie(VIDEO, box('gps ', zeros(16))), 'timed-metadata'],
  'a compressed movie': [movie(box('cmov', zeros(8))), 'compressed'],
  'a Matroska without a segment': [matroska, 'damaged'],
  'a ZIP of photos': [Buffer.from('PK\u0003\u0004'), 'archive'],
  'a text': [Buffer.from(`${SECRET} 52.5 13.4`), 'unknown-kind'],
  'other XML': [Buffer.from(`<?xml version="1.0"?><gpx><trk/></gpx>`), 'unknown-kind'],
  'an unknown file': [Buffer.alloc(99, 1), 'unknown-kind'],
  BigTIFF: [Buffer.from('II+\0\b\0\0\0'), 'unsupported'],
  'a damaged TIFF': [Buffer.from('II*\0'), 'damaged'],
  'an encrypted PDF': [Buffer.concat([pdf('', ''), Buffer.from('/Encrypt 2 0 R')]), 'encrypted'],
  'compressed XMP in a PDF': [pdf('/Type/Metadata/Filter/FlateDecode', 'x'), 'compressed'],
  'a compressed picture in a PDF': [
    pdf('/Subtype/Image/Filter[/FlateDecode/DCTDecode]', 'x'),
    'compressed',
  ],
  'a filter elsewhere in a PDF': [pdf('/Subtype/Image/Filter 9 0 R', 'x'), 'compressed'],
  'a file in a PDF': [pdf('/Type/EmbeddedFile', 'x'), 'embedded-files'],
  'an area of a PDF': [pdf('', '<</GPTS[52 13]>>'), 'unsupported'],
};

const spaces = (length: number): string => ' '.repeat(length);
/** Files without a location, which stay as they are. */
export const KEPT: Readonly<Record<string, Buffer>> = {
  'a JPEG': JPEG,
  'a JPEG with zeros behind it': Buffer.concat([JPEG, zeros(5000)]),
  'a directory without a position': withExif(JPEG, { 0x8825: { 0: Buffer.from([2, 3, 0, 0]) } }),
  'words that are no properties': withXmp(
    JPEG,
    'exif:GPSVersionID="2.3.0.0"',
    '<dc:title>GPSLatitude="1"</dc:title><dc:creator>GPS &amp; Sons</dc:creator>',
  ),
  'a title in several languages': withXmp(
    JPEG,
    '',
    '<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Harbour</rdf:li></rdf:Alt></dc:title>',
  ),
  'padding in XMP': inJpeg(
    `<?xpacket begin=""?>${xmp('a:b="c"')}${spaces(9000)}<?xpacket end="w"?>`,
  ),
  'content credentials without a place': withSegment(JPEG, Buffer.from('JP\0\u0001c2pa'), 0xeb),
  'the notes of a camera': withExif(JPEG, {
    0x8769: { 0x927c: Buffer.from('Nikon\0\u0002\u0010\0\0lens') },
  }),
  'a comment': withSegment(JPEG, Buffer.from('CREATOR: gd-jpeg v1.0, quality = 90'), 0xfe),
  'a profile': withSegment(JPEG, Buffer.from('ICC_PROFILE\0location'), 0xe2),
  'Samsung, with a time only': Buffer.concat([
    JPEG,
    samsung('Image_UTC_Data', Buffer.from('1700000000')),
  ]),
  'a PNG': bigPng(['tEXt', Buffer.from('Software\0Camera')]),
  'a film': movie(VIDEO, track('soun', 'mp4a'), track('tmcd', 'tmcd')),
  'a live photo': movie(
    VIDEO,
    track('meta', 'mebx....keydmdtacom.apple.quicktime.still-image-time'),
  ),
  'a BMP': Buffer.from('BM\0\0\0\0'),
  'a PDF of a layout program': Buffer.concat([
    pdf('/Type/Metadata/Subtype/XML', xmp('xmp:CreatorTool="Layout"')),
    pdf('/Type/ObjStm/N 1/First 4/Filter/FlateDecode', deflateSync('1 0 <</A 1>>')),
    pdf('/Subtype/Image/Filter/DCTDecode', JPEG),
  ]),
  nothing: GUARD,
};

/** A JPEG of 100 x 160 pixels, of which only the head matters. */
export const PICTURE = Buffer.from(
  'ffd8ffc0000b080064 00a0 01011100ffda0004000000ffd9'.replaceAll(' ', ''),
  'hex',
);
export const PACKET = Buffer.from(xmp('dc:format="image/jpeg"'));
const TIFF = tiffFile({ 0x010f: 'Canon' });
const TEXTS = iptc([[5, 'Harbour']]);

const iTXt = (language: string, isCompressed = 0): Buffer =>
  Buffer.concat([
    Buffer.from(`XML:com.adobe.xmp\0`),
    Buffer.from([isCompressed, 0]),
    Buffer.from(`${language}\0\0`),
    PACKET,
  ]);

/** Segments with 0xff before their markers, as B.1.1.2 of the standard allows. */
const filled = (jpeg: Buffer): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xff]), jpeg.subarray(2)]);

/** A resource whose signature is ImageReady's. */
const imageReady = Buffer.from(
  withResources(PICTURE, [[1060, PACKET]])
    .toString('latin1')
    .replace('8BIM', 'MeSa'),
  'latin1',
);

/** The directory has 1,000 entries, and one of them is in the file. */
export const cutDirectory = Buffer.from(tiffFile({ 0x010f: 'Me' }));
cutDirectory.writeUInt16LE(1000, cutDirectory.readUInt32LE(4));

const versionThree = Buffer.from(photoshopFile([[1060, PACKET]]));
versionThree[5] = 3;

const wholePng = (...chunks: readonly (readonly [string, Buffer])[]): Buffer =>
  png([['IHDR', Buffer.alloc(13)], ...chunks, ['IEND', Buffer.alloc(0)]]);

/** Files whose metadata are read. */
export const READ: Readonly<Record<string, Buffer>> = {
  'a JPEG without metadata': PICTURE,
  'a JPEG with EXIF data': withExif(PICTURE, { 0x010f: 'Canon' }),
  'a JPEG with XMP': withXmp(PICTURE, 'dc:format="image/jpeg"'),
  'a JPEG with IPTC': withResources(PICTURE, [[1028, TEXTS]]),
  'a JPEG with fill bytes': filled(withXmp(PICTURE, 'dc:format="image/jpeg"')),
  'a JPEG with resources of ImageReady': imageReady,
  'a JPEG with IPTC behind it': withFotoStation(PICTURE, TEXTS),
  'a JPEG of Casio': withSegment(PICTURE, Buffer.from('QVCI\0abc')),
  'a TIFF of a camera': TIFF,
  'a TIFF with XMP and IPTC': tiffFile({ 0x02bc: PACKET, 0x83bb: TEXTS }),
  'a BigTIFF with XMP': tiffFile({ 0x02bc: PACKET }, { isBig: true, header: 'II+\0' }),
  'a Photoshop file with all': photoshopFile([
    [1060, PACKET],
    [1028, TEXTS],
    [1058, TIFF],
  ]),
  'a Photoshop file of version 3': versionThree,
  'a PNG with EXIF data': png([
    ['IHDR', Buffer.alloc(13)],
    ['eXIf', TIFF],
    ['IEND', Buffer.alloc(0)],
  ]),
  'a PNG with XMP': wholePng(['iTXt', iTXt('')]),
  'a PNG with XMP in a language': wholePng(['iTXt', iTXt('en')]),
  'a PNG with compressed XMP': wholePng(['iTXt', iTXt('', 1)]),
  'a PNG with XMP twice': wholePng(['iTXt', iTXt('')], ['iTXt', iTXt('')]),
  'a PNG without its end': wholePng(['iTXt', iTXt('')]).subarray(0, -12),
  'a WebP with both': webp([
    ['EXIF', TIFF],
    ['XMP ', PACKET],
  ]),
  'a WebP with the name of EXIF data': webp([
    ['EXIF', Buffer.concat([Buffer.from('Exif\0\0'), TIFF])],
  ]),
  'a HEIC with both': heicWith(TIFF, PACKET),
  'a GIF': gifWithXmp(PACKET.toString()),
  'a RAF': raf(withXmp(PICTURE, 'dc:format="image/jpeg"')),
  'an MRW': mrw(3000, 2000, TIFF),
  'a CR3 with all': cr3({ first: TIFF, photo: TIFF, gps: TIFF, xmp: PACKET }),
  'a file of five letters': Buffer.from('hello'),
};

/** The table of samples: what `test/packages/image-metadata/samples.md` describes. */
export const SAMPLES: Readonly<Record<string, Buffer>> = {
  ...READ,
  ...REMOVED,
  ...Object.fromEntries(Object.entries(REFUSED).map(([name, [file]]) => [name, file])),
  ...KEPT,
};
