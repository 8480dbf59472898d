import type { EventDeclaration, NoticeDeclaration } from '../../kernel/events/event.js';
import { message, type Message } from '../../kernel/i18n/message.js';
import { EMAIL_CHANGED_NOTICE, NEW_BROWSER_NOTICE } from '../accounts/events.js';
import type { Notice } from './notices.js';

/** The declarations of notices, by the kind of the notice. */
export type Notices = ReadonlyMap<string, NoticeDeclaration>;

/** The notices that events declare, and those of this module. */
export function noticesOf(events: readonly EventDeclaration[]): Notices {
  const declared = events.flatMap(({ notice }) => (notice === undefined ? [] : [notice]));
  return new Map(
    [...declared, EMAIL_CHANGED_NOTICE, NEW_BROWSER_NOTICE].map((one) => [one.kind, one]),
  );
}

/**
 * One sentence about what happened.
 * @param show writes a name that the app or its user chose
 */
export function noticeMessage(
  notice: NoticeDeclaration,
  about: Readonly<Record<string, unknown>>,
  show: (name: string) => string = (name) => name,
): Message {
  return notice.message((name) => {
    const value = about[name];
    return typeof value === 'string' ? show(value) : undefined;
  });
}

/** A notice as pages show it. */
export interface ShownNotice {
  readonly id: string;
  readonly message: Message;
  /** The page on which the user can undo what happened. */
  readonly path: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Notices as pages show them, without those of an unknown kind. */
export function showNotices(notices: Notices, stored: readonly Notice[]): ShownNotice[] {
  return stored.flatMap(({ id, kind, about, createdAt }) => {
    const notice = notices.get(kind);
    return notice === undefined
      ? []
      : [{ id, message: noticeMessage(notice, about), path: notice.path, createdAt }];
  });
}

/** The advice under a mail with a notice. */
export function noticeAdvice({ advice = 'mailNoticeAdvice' }: NoticeDeclaration): Message {
  return message(advice);
}
