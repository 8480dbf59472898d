import type { Feedback, ListedFeedback } from './feedback.js';
import { presentPlace } from './place.js';

/** What a guest said about a photo, as JSON, for answers of the API. A list of several photos has their names and versions. */
export function presentFeedback(
  feedback: Feedback & Partial<Pick<ListedFeedback, 'photoName' | 'seenId' | 'source'>>,
): Record<string, unknown> {
  const { id, kind, shareId, photoId, guest, version, sha256, isCurrent, value, at } = feedback;
  const { photoName, seenId, source, text, place, doneAt, reply, withdrawnAt } = feedback;
  return {
    ...{ id, kind, link: shareId ?? null, photo: photoId, guest, version, sha256 },
    ...(photoName !== undefined && { name: photoName, upload: seenId }),
    ...(source !== undefined && { source }),
    ...{ is_current: isCurrent, at: at.toISOString() },
    ...((kind === 'stars' || kind === 'label') && { [kind]: value }),
    ...((kind === 'approval' || kind === 'changes') && {
      withdrawn: withdrawnAt?.toISOString() ?? null,
    }),
    ...(kind === 'comment' && {
      ...{ text, ...presentPlace(place), done: doneAt !== undefined },
      reply: reply === undefined ? null : { ...reply, by: reply.by ?? null },
    }),
  };
}
