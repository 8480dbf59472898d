/** The blocks of a [GIF](https://www.w3.org/Graphics/GIF/spec-gif89a.txt), and the name of the one with XMP. */
export const GIF = {
  image: 0x2c,
  extension: 0x21,
  trailer: 0x3b,
  comment: 0xfe,
  application: 0xff,
  xmp: 'XMP DataXMP',
} as const;

/** What follows a packet begins so: it counts down, and leads a program that skips sub-blocks to the end of it. */
export const XMP_END = Uint8Array.of(1, 0xff, 0xfe, 0xfd);

/** How long the table of colours is that a field of flags announces. */
export function colourBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}
