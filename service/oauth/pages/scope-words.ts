import type { Scope } from '../scopes.js';
import type { PlainKey } from '../../platform/i18n/message.js';

/** What each scope lets an app do, in words for people. */
export const SCOPE_WORDS: Readonly<Record<Scope, PlainKey>> = {
  'uploads:write': 'scopeUploadsWrite',
  'uploads:read': 'scopeUploadsRead',
  'uploads:content': 'scopeUploadsContent',
  'uploads:delete': 'scopeUploadsDelete',
  'projects:write': 'scopeProjectsWrite',
  'workspace:read': 'scopeWorkspaceRead',
};
