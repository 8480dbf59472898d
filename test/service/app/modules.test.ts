import { describe, expect, it } from '@jest/globals';
import { createdTables, tableUses } from '../../../scripts/data-model.js';
import { modules } from '../../../service/app/modules.js';

/** Changes of tables that another module owns, as `module → table`, with the reason. */
const FOREIGN_CHANGES: Readonly<Record<string, string>> = {
  'oauth → oidc_records': 'oidc-provider stores sessions and tokens in one table.',
};

it('no two modules derive the same key', () => {
  const purposes = Object.values(modules()).flatMap(({ secrets = {} }) => Object.keys(secrets));
  expect(purposes).toEqual([...new Set(purposes)]);
  expect(purposes).toContain('webhook');
});

describe('the tables of the modules', () => {
  it('are those of the migrations, each with one owner', () => {
    const declared = Object.values(modules()).flatMap(({ tables }) => Object.keys(tables));
    expect(declared.toSorted()).toEqual(createdTables().toSorted());
  });

  it('are changed by their owner only', () => {
    const owned = modules();
    const foreign = tableUses()
      .filter(
        ({ module, table, isChange }) => isChange && !(table in (owned[module]?.tables ?? {})),
      )
      .map(({ module, table }) => `${module} → ${table}`);
    expect([...new Set(foreign)].toSorted()).toEqual(Object.keys(FOREIGN_CHANGES).toSorted());
  });

  it('are those whose rows expire', () => {
    for (const [name, { expiring, tables }] of Object.entries(modules())) {
      const foreign = expiring.map(({ table }) => table).filter((table) => !(table in tables));
      expect([name, [...new Set(foreign)]]).toEqual([
        name,
        name === 'oauth' ? ['oidc_records'] : [],
      ]);
    }
  });
});
