import type { Database } from '../../kernel/database/database.js';
import { lockMigrations } from '../../kernel/database/migrate.js';
import { createAccountWithWorkspace } from './accounts.js';

/** A sign-in for trying the service on one's own machine. It is public: the sign-in page may show the password. */
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
      await lockMigrations(transaction);
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
    { noTimeout: true },
  );
}
