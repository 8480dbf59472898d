import type { PlainKey } from '../../kernel/i18n/message.js';
import type { Role } from './accounts.js';

/** The words for each role. */
export const ROLE_WORDS: Readonly<Record<Role, PlainKey>> = {
  owner: 'roleOwner',
  member: 'roleMember',
};
