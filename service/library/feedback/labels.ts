import type { Database } from '../../kernel/database/database.js';
import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Translator } from '../../kernel/i18n/translator.js';

/** The labels, with the names of their colours. Their numbers are those of Lightroom, from 1. */
export const LABELS = [
  { number: 1, colour: 'labelRed' },
  { number: 2, colour: 'labelYellow' },
  { number: 3, colour: 'labelGreen' },
  { number: 4, colour: 'labelBlue' },
  { number: 5, colour: 'labelPurple' },
] as const satisfies readonly { readonly number: number; readonly colour: PlainKey }[];

/** The longest name of a label, in characters. */
export const MAX_LABEL_NAME = 40;

/** The names that a workspace gave to labels, by their numbers. */
export type LabelNames = ReadonlyMap<number, string>;

/** The name of a label: that of the workspace, or of the colour. */
export function labelName(translator: Translator, names: LabelNames, number: number): string {
  const colour = LABELS.find((label) => label.number === number)?.colour ?? 'labelRed';
  return names.get(number) ?? translator.t(colour);
}

/** What workspaces call their labels. */
export class LabelTable {
  constructor(private readonly database: Database) {}

  async of(workspaceId: string): Promise<LabelNames> {
    const rows = await this.database.query<{ label: number; name: string }>(
      'SELECT label, name FROM feedback_labels WHERE workspace_id = $1',
      [workspaceId],
    );
    return new Map(rows.map(({ label, name }) => [label, name]));
  }

  /** @param names those of labels that are missing are removed */
  async set(workspaceId: string, names: LabelNames): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.query('DELETE FROM feedback_labels WHERE workspace_id = $1', [workspaceId]);
      for (const [label, name] of names) {
        await transaction.query(
          `INSERT INTO feedback_labels (workspace_id, label, name) VALUES ($1, $2, $3)
           ON CONFLICT (workspace_id, label) DO UPDATE SET name = excluded.name`,
          [workspaceId, label, name],
        );
      }
    });
  }
}
