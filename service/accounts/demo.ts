import type { Database } from '../database/database.js';
import { lockSetUp } from '../database/migrate.js';
import { createAccountWithWorkspace } from './accounts.js';

/** The sign-in that is told at start and on the sign-in page: for one's own machine, not a secret. */
export interface DemoAccount {
  readonly username: string;
  readonly password: string;
  /** Name of the demo workspace. */
  readonly workspace: string;
}

export const DEMO_ACCOUNT: DemoAccount = {
  username: 'demo',
  password: 'demo-photos',
  workspace: 'Demo Studio',
};

/** Adds the demo account and its workspace unless an account of that name is there already. */
export async function seedDemoAccount(database: Database): Promise<void> {
  await database.transaction(
    async (transaction) => {
      await lockSetUp(transaction);
      const existing = await transaction.query('SELECT 1 FROM accounts WHERE username = $1', [
        DEMO_ACCOUNT.username,
      ]);
      if (existing.length > 0) {
        return;
      }
      await createAccountWithWorkspace(transaction, {
        ...DEMO_ACCOUNT,
        displayName: 'Demo Photographer',
      });
    },
    { patient: true },
  );
}
