/**
 * For the transaction of one statement: its commit does not wait for the disk. A crash of the database server may lose
 * what it did in the last half second, so it is for what is noticed and done again. Begins a statement that reads `soon`.
 */
export const SOON = `WITH soon AS (SELECT set_config('synchronous_commit', 'off', true))`;
