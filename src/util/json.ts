/**
 * Reading JSON that came from outside: nothing is assumed about its shape.
 * @packageDocumentation
 */

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Parses `text` as a JSON object; null when it is not JSON or not an object. Ignores a byte order mark
 * ([RFC 8259 §8.1](https://www.rfc-editor.org/rfc/rfc8259#section-8.1)).
 */
export function parseJsonObject(text: string): JsonObject | null {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return null;
  }
  return isJsonObject(value) ? value : null;
}

/** Whether a parsed JSON value is an object: not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string field that is present and not empty, else null. */
export function textField(object: JsonObject, name: string): string | null {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A number field, sent as a number or (as some services do) as digits in a string; else null. */
export function numberField(object: JsonObject, name: string): number | null {
  const value = object[name];
  if (typeof value === 'number') {
    return Number.isFinite(value) ? value : null;
  }
  if (typeof value === 'string' && /^\d{1,15}(\.\d+)?$/.test(value)) {
    return Number(value);
  }
  return null;
}
