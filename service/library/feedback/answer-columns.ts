import { PLACE_COLUMNS } from './place.js';

/** All columns of an answer, in `share_answers` and `removed_answers`. */
export const ANSWER_COLUMNS = `id, share_id, photo_id, kind, guest_id, guest_name, upload_id, version, sha256, comment,
  ${PLACE_COLUMNS}, created_at, done_at, is_mailed, value, reply, reply_by, replied_at, is_reply_mailed, withdrawn_at`;
