import type { UxpModule } from './uxp-module.js';

/** Longest value that is read. UTF-16 code units. */
const MAX_LENGTH = 1024 * 1024;

/** A text in an XMP packet (XMPMeta page), which anybody may have written; null when there is none. Never throws. */
export function propertyIn(
  xmp: UxpModule['xmp'],
  packet: string,
  namespace: string,
  name: string,
): string | null {
  if (!xmp || !packet.includes(namespace)) {
    return null;
  }
  try {
    const { value = '' } = new xmp.XMPMeta(packet).getProperty(namespace, name) ?? {};
    return value !== '' && value.length <= MAX_LENGTH ? value : null;
  } catch {
    return null;
  }
}

/** The packet with a text. @throws {Error} in a host without the XMP module, and for what is no packet */
export function withProperty(
  xmp: UxpModule['xmp'],
  packet: string,
  { namespace, prefix }: { readonly namespace: string; readonly prefix: string },
  name: string,
  value: string,
): string {
  if (!xmp) {
    throw new Error('the host has no XMP module');
  }
  xmp.XMPMeta.registerNamespace(namespace, prefix);
  const meta = new xmp.XMPMeta(packet);
  meta.setProperty(namespace, name, value);
  return meta.serialize();
}
