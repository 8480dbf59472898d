/** Something in a built plugin that no page documents, or that the plugin must not ask for. */
export interface Problem {
  /** Path inside the built folder. */
  readonly file: string;
  /** `line:column`, if known. */
  readonly at?: string;
  /** The name as it is in the file. */
  readonly name: string;
  readonly problem: string;
  /** What to use instead. */
  readonly instead: string;
}

/** One line for people. */
export function describe({ file, at, name, problem, instead }: Problem): string {
  const place = at === undefined ? file : `${file}:${at}`;
  return `${place}  ${name}: ${problem}. Instead: ${instead}.`;
}
