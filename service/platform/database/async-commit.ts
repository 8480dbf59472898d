/**
 * The beginning of a statement whose commit does not wait for the disk. The statement must read from `soon`, and be a
 * transaction by itself: the setting holds for the whole transaction. A crash of the database server may lose what such
 * statements wrote in about the last half second. Use it only where that is noticed and done again.
 */
export const ASYNC_COMMIT = `WITH soon AS (SELECT set_config('synchronous_commit', 'off', true))`;
