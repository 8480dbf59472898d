import type { Queryable } from './database.js';

/** How long the database may take to answer before it counts as away, in milliseconds. */
const ANSWER_MS = 5_000;

/**
 * Makes a function that checks whether the database answers within `answerMs` milliseconds. Concurrent calls share one
 * statement, so many callers use only one connection.
 */
export function healthOf(database: Queryable, answerMs = ANSWER_MS): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  const ask = async (): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        resolve(false);
      }, answerMs);
    });
    const answer = database
      .query('SELECT 1')
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        // Not earlier: an unresponsive database must not get a second query.
        asked = undefined;
      });
    try {
      return await Promise.race([answer, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  };
  return () => (asked ??= ask());
}
