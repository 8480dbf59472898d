import { TypeOverrides, types } from 'pg';

/** How columns become values. A `bigint` becomes a number: ours are sizes in bytes and counters, all below 2^53. */
export const COLUMN_TYPES = new TypeOverrides();
COLUMN_TYPES.setTypeParser(types.builtins.INT8, Number);
