/**
 * A JSON list of ids as an array of unknown length, for `id = ANY (…)`: each id is one look into the index. For a known length of
 * fifty, for `id IN (SELECT …)` and for a join, the planner may read a table of some thousand rows from end to end. Beside a condition
 * on a workspace, a table without statistics is read by the index of that: `uploadsById` is for lists of uploads.
 * @param list the placeholder of the list
 */
export function idArray(list: string): string {
  return `ARRAY(SELECT jsonb_array_elements_text(${list}::jsonb))`;
}
