/**
 * Sidecars as programs write them: their structure after samples in public repositories, their content invented.
 * Each is made with every state of rating and label.
 */

export interface Sidecar {
  readonly name: string;
  readonly text: string;
}

/** The marks that a sidecar has: as attributes or elements, by their names without a prefix. */
type Marks = readonly (readonly ['Rating' | 'Label', string])[];
type Style = (marks: Marks) => string;

const XMP = 'xmlns:xmp="http://ns.adobe.com/xap/1.0/"';
const RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';
const BEGIN = '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n';

const attributes = (marks: Marks, space = '\n   ', prefix = 'xmp'): string =>
  marks.map(([name, value]) => `${space}${prefix}:${name}="${value}"`).join('');
const elements = (marks: Marks, space = '\n   '): string =>
  marks
    .map(([name, value]) =>
      value === '' ? `${space}<xmp:${name}/>` : `${space}<xmp:${name}>${value}</xmp:${name}>`,
    )
    .join('');

const STYLES: Readonly<Record<string, Style>> = {
  'Lightroom Classic': (marks) =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="Adobe XMP Core 7.0-c000 1.000000, 0000/00/00-00:00:00        ">
 <rdf:RDF ${RDF}>
  <rdf:Description rdf:about=""
    xmlns:tiff="http://ns.adobe.com/tiff/1.0/"
    ${XMP}
    xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"
    xmlns:stEvt="http://ns.adobe.com/xap/1.0/sType/ResourceEvent#"
    xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:crs="http://ns.adobe.com/camera-raw-settings/1.0/"
   tiff:Orientation="1"${attributes(marks)}
   xmpMM:DocumentID="xmp.did:0123"
   xmpMM:OriginalDocumentID="9A8B7C"
   crs:Version="15.4"
   crs:Exposure2012="+0.35"
   crs:AlreadyApplied="False">
   <xmpMM:History>
    <rdf:Seq>
     <rdf:li
      stEvt:action="saved"
      stEvt:changed="/metadata"/>
    </rdf:Seq>
   </xmpMM:History>
   <dc:title>
    <rdf:Alt>
     <rdf:li xml:lang="x-default">Küste &amp; Düne &quot;1&quot;</rdf:li>
     <rdf:li xml:lang="de-DE">Küste</rdf:li>
    </rdf:Alt>
   </dc:title>
   <crs:Look>
    <rdf:Description
     crs:Name="Adobe Color"
     ${XMP} xmp:Rating="2">
     <crs:Group><rdf:Alt><rdf:li xml:lang="x-default">Profiles</rdf:li></rdf:Alt></crs:Group>
    </rdf:Description>
   </crs:Look>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
`,
  Bridge: (marks) =>
    `${BEGIN}<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="Adobe XMP Core 5.6-c140 79.160451">
   <rdf:RDF ${RDF}>
      <rdf:Description rdf:about=""
            ${XMP}
            xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/">
         <xmp:MetadataDate>2026-05-12T14:05:00+02:00</xmp:MetadataDate>${elements(marks, '\n         ')}
         <photoshop:SidecarForExtension>CR3</photoshop:SidecarForExtension>
      </rdf:Description>
   </rdf:RDF>
</x:xmpmeta>
${`${' '.repeat(99)}\n`.repeat(20)}<?xpacket end="w"?>`,
  'Camera Raw 6': (marks) =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/">\r\n <rdf:RDF ${RDF}>\r\n  <rdf:Description rdf:about=""\r\n    xmlns:crs="http://ns.adobe.com/camera-raw-settings/1.0/"\r\n   crs:Version="6.7"\r\n   crs:ToneCurveName="Medium Contrast">\r\n  </rdf:Description>\r\n  <rdf:Description rdf:about=""\r\n    ${XMP}${attributes(marks, '\r\n   ')}\r\n   xmp:CreatorTool="Ver.1.02 "/>\r\n </rdf:RDF>\r\n</x:xmpmeta>\r\n`,
  'Capture One': (marks) =>
    `\ufeff<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 5.5.0">
   <rdf:RDF ${RDF}>
      <rdf:Description rdf:about=""
            ${XMP}
            xmlns:lightroom="http://ns.adobe.com/lightroom/1.0/"
            xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/">${elements(marks, '\n         ')}
         <photoshop:Urgency>1</photoshop:Urgency>
         <lightroom:hierarchicalSubject>
            <rdf:Bag>
               <rdf:li>Places|Küste</rdf:li>
            </rdf:Bag>
         </lightroom:hierarchicalSubject>
      </rdf:Description>
   </rdf:RDF>
</x:xmpmeta>
`,
  darktable: (marks) =>
    `<?xml version="1.0" encoding="UTF-8"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
 <rdf:RDF ${RDF}>
  <rdf:Description rdf:about=""
    ${XMP}
    xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"
    xmlns:darktable="http://darktable.sf.net/"${attributes(marks)}
   xmpMM:DerivedFrom="IMG_0412.CR3"
   darktable:xmp_version="5"
   darktable:raw_params="0"
   darktable:auto_presets_applied="1"
   darktable:history_end="2">
   <darktable:colorlabels>
    <rdf:Seq>
     <rdf:li>0</rdf:li>
    </rdf:Seq>
   </darktable:colorlabels>
   <darktable:masks_history>
    <rdf:Seq/>
   </darktable:masks_history>
   <darktable:history>
    <rdf:Seq>
     <rdf:li
      darktable:num="0"
      darktable:operation="exposure"
      darktable:params="000000000000803f"
      darktable:blendop_params="gz12eJxjYGBgkGAAgRNODGiAEV0AJ2iwh+CRyscOAAdeGQQ="/>
    </rdf:Seq>
   </darktable:history>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
`,
  digiKam: (marks) =>
    `${BEGIN}<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
 <rdf:RDF ${RDF}>
  <rdf:Description rdf:about=""
    ${XMP}
    xmlns:digiKam="http://www.digikam.org/ns/1.0/"
    xmlns:MicrosoftPhoto="http://ns.microsoft.com/photo/1.0/"
    xmlns:acdsee="http://ns.acdsee.com/iptc/1.0/"${attributes(marks)}
   digiKam:PickLabel="0"
   digiKam:ColorLabel="0"
   MicrosoftPhoto:Rating="25"
   acdsee:rating="2">
   <digiKam:TagsList>
    <rdf:Seq>
     <rdf:li>Menschen/Zoë</rdf:li>
     <rdf:li>猫</rdf:li>
    </rdf:Seq>
   </digiKam:TagsList>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>`,
  'Photo Mechanic': (marks) =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="Image::ExifTool 9.97"><rdf:RDF ${RDF}><rdf:Description rdf:about='' xmlns:photomechanic='http://ns.camerabits.com/photomechanic/1.0/' photomechanic:ColorClass='3' photomechanic:Tagged='True' photomechanic:Prefs='1:3:0:008771' photomechanic:PMVersion='PM6'/><rdf:Description rdf:about=''${marks.length > 0 ? ` xmlns:xap='http://ns.adobe.com/xap/1.0/'${attributes(marks, ' ', 'xap')}` : ''}><dc:subject xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Bag><rdf:li>Coast</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>`,
  ExifTool: (marks) =>
    `<?xpacket begin='\ufeff' id='W5M0MpCehiHzreSzNTczkc9d'?>
<x:xmpmeta xmlns:x='adobe:ns:meta/' x:xmptk='Image::ExifTool 12.57'>
<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>

 <rdf:Description rdf:about='uuid:faf5bdd5'
  xmlns:dc='http://purl.org/dc/elements/1.1/'>
  <dc:description>
   <rdf:Alt>
    <rdf:li xml:lang='x-default'>It&#39;s &lt;xmp:Rating&gt;1&lt;/xmp:Rating&gt;</rdf:li>
   </rdf:Alt>
  </dc:description>
 </rdf:Description>

 <rdf:Description rdf:about='uuid:faf5bdd5'
  xmlns:xmp='http://ns.adobe.com/xap/1.0/'>${elements(marks, '\n  ')}
 </rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end='w'?>`,
  'a tool with comments': (marks) =>
    `<!-- <xmp:Rating>1</xmp:Rating> -->
<rdf:RDF ${RDF} ${XMP} xmlns:own="https://example.com/ns/">
 <rdf:Description own:note="&#xA;&#x9;tab" own:rating="4"><!-- kept -->${elements(marks, '')}<own:text><![CDATA[ xmp:Rating="1" ]]></own:text></rdf:Description>
</rdf:RDF>`,
  'two descriptions with the same': (marks) =>
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${RDF}>
  <rdf:Description rdf:about="" ${XMP}${attributes(marks, ' ')}/>
  <rdf:Description rdf:about="" ${XMP} xmlns:own="https://example.com/ns/" own:value="5">${elements(marks, '')}</rdf:Description>
</rdf:RDF></x:xmpmeta>`,
};

const STATES: Readonly<Record<string, Marks>> = {
  'without marks': [],
  'with a rating': [['Rating', '3']],
  'with both': [
    ['Rating', '0'],
    ['Label', 'Select'],
  ],
  'with a rejection': [
    ['Label', 'Grün &amp; more'],
    ['Rating', '-1'],
  ],
  'with empty marks': [
    ['Rating', ''],
    ['Label', ''],
  ],
};

/** 50 sidecars: ten programs, five states each. */
export const SIDECARS: readonly Sidecar[] = Object.entries(STYLES).flatMap(([style, write]) =>
  Object.entries(STATES).map(([state, marks]) => ({
    name: `${style}, ${state}`,
    text: write(marks),
  })),
);

/** A packet without its marks: what has to stay. */
export function withoutMarks(text: string): string {
  return text
    .replace(/ xmlns:xmp1?="http:\/\/ns\.adobe\.com\/xap\/1\.0\/"/g, '')
    .replace(/\s(xmp1?|xap):(Rating|Label)=("[^"]*"|'[^']*')/g, '')
    .replace(/\s*<xmp:(Rating|Label)(\/>|>[^<]*<\/xmp:\1>)/g, '');
}
