import type { Feedback, InList } from './feedback.js';
import { presentPlace } from './place.js';

/** What a guest said about a photo, as JSON, for answers of the API. A list of several photos has their names and versions. */
export function presentFeedback(feedback: Feedback & Partial<InList>): Record<string, unknown> {
  const { id, kind, shareId, photoId, guest, version, sha256, isCurrent, at } = feedback;
  const { photoName, seenId, source } = feedback;
  return {
    ...{ id, kind, link: shareId ?? null, photo: photoId, guest, version, sha256 },
    ...(photoName !== undefined && { name: photoName, upload: seenId }),
    ...(source !== undefined && { source }),
    ...{ is_current: isCurrent, at: at.toISOString() },
    ...ofKind(feedback),
  };
}

/** What only this kind of answer has. */
function ofKind(feedback: Feedback): Record<string, unknown> {
  switch (feedback.kind) {
    case 'favourite':
      return {};
    case 'stars':
    case 'label':
      return { [feedback.kind]: feedback.value };
    case 'approval':
    case 'changes':
      return { withdrawn: feedback.withdrawnAt?.toISOString() ?? null };
    case 'comment': {
      const { text, place, doneAt, reply } = feedback;
      return {
        ...{ text, ...presentPlace(place), done: doneAt !== undefined },
        reply: reply === undefined ? null : { ...reply, by: reply.by ?? null },
      };
    }
  }
}
