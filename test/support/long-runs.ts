/** Whether the tests do all that they know (`TEST_TIMES=2`, or more), and not only what differs most. */
export const IS_LONG = Number(process.env['TEST_TIMES'] ?? 1) > 1;
