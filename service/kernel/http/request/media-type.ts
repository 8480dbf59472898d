/**
 * The media type that a `Content-Type` names, in lower case and without its parameters; empty if there is none
 * ([RFC 9110 §8.3.1](https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1)).
 */
export function mediaTypeIn(contentType: string | undefined): string {
  return (contentType ?? '').replace(/;.*$/s, '').trim().toLowerCase();
}
