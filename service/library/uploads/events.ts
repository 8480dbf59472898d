import type { EventDeclaration, EventKind } from '../../kernel/events/event.js';

export const UPLOAD_KIND: EventKind = {
  name: 'upload',
  label: 'kindUpload',
  audience: 'workspace',
};

/**
 * The events of uploads. A trigger of the database adds the deliveries when it finishes an upload (`announce_upload`): `appendEvent` would
 * be a fourth statement of an upload in one request.
 */
export const UPLOAD_EVENTS = {
  finished: {
    kind: UPLOAD_KIND,
    action: 'upload_finished',
    type: 'upload.finished',
    description: 'An upload is complete.',
    example: {
      photo: '…',
      project: '…',
      name: 'Harbour.jpg',
      type: 'image/jpeg',
      size: 4213770,
      sha256: '9f86…',
      client: '…',
    },
  },
} as const satisfies Readonly<Record<string, EventDeclaration>>;
