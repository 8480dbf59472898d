/**
 * The beginning of a statement whose commit does not wait for the disk. The statement must read from `soon`, and be a
 * separate transaction: the setting applies to the whole transaction. A crash of the database server may lose their
 * writes of about the last half second. Use it only where a loss is detected and the write is repeated.
 */
export const ASYNC_COMMIT = `WITH soon AS (SELECT set_config('synchronous_commit', 'off', true))`;
