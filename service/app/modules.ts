import { delivery } from '../delivery/index.js';
import { identity } from '../identity/index.js';
import type { ExpiringRows } from '../kernel/database/cleanup.js';
import type { Message } from '../kernel/i18n/message.js';
import { kernel, type MenuEntry, type Module } from '../kernel/module.js';
import { library } from '../library/index.js';
import { oauth } from '../oauth/index.js';
import { workspace } from '../workspace/index.js';

/** How long events of the audit are kept by default, in days. */
export const AUDIT_DAYS = 365;

/** All modules by name, in the order in which they may import one another: a later one from an earlier one. */
export function modules(auditDays = AUDIT_DAYS): Readonly<Record<string, Module>> {
  return { kernel: kernel(auditDays), identity, oauth, library, delivery, workspace };
}

/** What the clean-up deletes. */
export function expiringRows(auditDays?: number): readonly ExpiringRows[] {
  return Object.values(modules(auditDays)).flatMap(({ expiring }) => expiring);
}

/** The pages of the menus, sorted. */
export function menuEntries(): readonly MenuEntry[] {
  return Object.values(modules())
    .flatMap(({ menu }) => menu ?? [])
    .sort((one, other) => one.position - other.position);
}

/** The messages about actions, see `Module.flashMessages`. */
export function flashMessages(): ReadonlyMap<string, Message> {
  return new Map(
    Object.values(modules()).flatMap((one) => Object.entries(one.flashMessages ?? {})),
  );
}
