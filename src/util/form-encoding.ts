/**
 * Encodes name and value pairs as `application/x-www-form-urlencoded`
 * ([RFC 6749 appendix B](https://www.rfc-editor.org/rfc/rfc6749#appendix-B)). By hand, because URLSearchParams came
 * to the host only with UXP 9.1.
 */
export function encodeForm(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`)
    .join('&');
}

function encodePart(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'))
    .replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%20/g, '+');
}
