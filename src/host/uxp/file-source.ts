import { MAX_SOURCE_LENGTH } from '../photo-source.js';
import type { JsonObject } from '../../util/json.js';

/** What an exporter notes about a file as `PhotoSource.source`; null when it would be too long. */
export function writeSource(source: JsonObject): string | null {
  const text = JSON.stringify(source);
  return text.length <= MAX_SOURCE_LENGTH ? text : null;
}
