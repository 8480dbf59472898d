import devicesApi from './devices/openapi.json' with { type: 'json' };
import feedbackApi from './feedback/openapi.json' with { type: 'json' };
import photosApi from './photos/api/openapi.json' with { type: 'json' };
import placementsApi from './placements/openapi.json' with { type: 'json' };
import posterApi from './previews/openapi.json' with { type: 'json' };
import projectsApi from './projects/openapi.json' with { type: 'json' };
import uploadsApi from './uploads/openapi.json' with { type: 'json' };
import { FEEDBACK_EVENTS } from './feedback/events.js';
import { UPLOAD_EVENTS } from './uploads/events.js';
import { message } from '../kernel/i18n/message.js';
import { PHOTOS } from '../site/addresses/photo-paths.js';
import { PROJECTS } from '../site/addresses/project-paths.js';
import { DAY_MS, type Module } from '../kernel/module.js';

export const library: Module = {
  tables: {
    device_queues: 'The last report of a computer about photos that have not arrived.',
    discarded_uploads: 'A file that is to be deleted from the storage.',
    feedback_labels: 'What a workspace calls a label of feedback.',
    guest_addresses: 'The mail address of a guest.',
    known_guests: 'A guest of a link whom the studio knows.',
    page_pictures: 'A picture of a page of a document.',
    photo_change_parts: 'How photos were before a change, for the part that is undone at once.',
    photo_changes: 'What a user did to photos and can undo.',
    photo_counts: 'A change of the number of photos of a user in a project, or their sum.',
    placements: 'That a file is placed in another one.',
    projects: 'A project.',
    removed_answers: 'Feedback of a guest that was removed; it can be restored for 30 days.',
    removed_guests: 'A guest of a link whom the studio removed.',
    share_answers: 'An answer of a guest: a favourite, a rating, a decision or a comment.',
    thumbnails: 'The thumbnail and preview of a photo, and the work on them.',
    upload_locks: 'Which request works on an upload, across processes.',
    uploads: 'An upload, and the photo that it became.',
    watermarked_pictures: 'A picture of a photo with a watermark.',
    workspace_usage: 'How many bytes a workspace uses.',
  },
  expiring: [
    { table: 'photo_changes', by: 'expires_at', keptMs: 0 },
    { table: 'removed_answers', by: 'expires_at', keptMs: 0 },
    {
      table: 'removed_guests',
      by: 'expires_at',
      keptMs: 0,
      with: `DELETE FROM known_guests USING gone
              WHERE known_guests.share_id = gone.share_id AND known_guests.guest_id = gone.guest_id`,
    },
    { table: 'device_queues', by: 'expires_at', keptMs: 0 },
    { table: 'upload_locks', by: 'expires_at', keptMs: DAY_MS },
  ],
  events: [...Object.values(UPLOAD_EVENTS), ...Object.values(FEEDBACK_EVENTS)],
  api: [uploadsApi, placementsApi, posterApi, photosApi, projectsApi, feedbackApi, devicesApi],
  menu: [
    {
      section: 'photos',
      menu: 'main',
      position: 10,
      path: PHOTOS.root,
      label: 'photos',
      isOfWorkspace: true,
      showsPictures: true,
    },
    {
      section: 'projects',
      menu: 'main',
      position: 20,
      path: PROJECTS.root,
      label: 'projects',
      isOfWorkspace: true,
      showsPictures: true,
    },
    {
      section: 'trash',
      menu: 'main',
      position: 40,
      path: PHOTOS.trash,
      label: 'trash',
      isOfWorkspace: true,
      showsPictures: true,
    },
  ],
  flashMessages: {
    versionDetached: message('versionDetached'),
    versionUsed: message('versionUsed'),
    projectMade: message('projectMade'),
    archived: message('projectArchived'),
    broughtBack: message('projectBack'),
  },
};
