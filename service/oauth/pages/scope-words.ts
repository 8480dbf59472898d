import type { Scope } from '../../identity/index.js';
import type { PlainKey } from '../../kernel/i18n/message.js';

/** The description of each scope for users. */
export const SCOPE_WORDS: Readonly<Record<Scope, PlainKey>> = {
  'uploads:write': 'scopeUploadsWrite',
  'uploads:read': 'scopeUploadsRead',
  'uploads:content': 'scopeUploadsContent',
  'uploads:delete': 'scopeUploadsDelete',
  'projects:write': 'scopeProjectsWrite',
  'shares:write': 'scopeSharesWrite',
  'feedback:write': 'scopeFeedbackWrite',
  'workspace:read': 'scopeWorkspaceRead',
};
