import { describe, expect, it } from '@jest/globals';

import { hosts, type HostApp } from '../../build/hosts.js';
import { becomes } from '../e2e/patience.js';
import type { HostControl } from '../host/modules/index.js';
import { useService } from '../service/support/use-service.js';
import { allow, COAST, connect, guestAtNewest, press, usePlugins } from './fixture.js';

interface AppUnderTest {
  /** Everything in the document that comments could change. */
  readonly content: (control: HostControl) => unknown;
  /** The comments that are in it. */
  readonly comments: (control: HostControl) => readonly unknown[];
  /** How a comment at a quarter of the width and half of the height is to be there. */
  readonly comment: object;
}

const APPS: Readonly<Record<HostApp['app'], AppUnderTest>> = {
  PS: {
    content: ({ photoshop }) => photoshop.counts(),
    comments: ({ photoshop }) => photoshop.counts().slice(1),
    comment: { name: expect.stringMatching(/^Client comments · v1/), counts: [{ x: 250, y: 250 }] },
  },
  ID: {
    content: ({ indesign }) => indesign.content(),
    comments: ({ indesign }) => indesign.content().frames,
    comment: { contents: 'Mia · v1\rDarker', page: 200 },
  },
  premierepro: {
    content: ({ premiere }) => premiere.markers(),
    comments: ({ premiere }) => premiere.markers().slice(1),
    comment: { name: 'Mia · v1', comments: 'Darker', ticks: String(5 * 254_016_000_000) },
  },
};

/** The built plugin in the simulated host, the real service, and a guest in a browser without scripts. */
describe('a comment of a guest', () => {
  const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
  const plugins = usePlugins(() => service.baseUrl);

  it.each(hosts)('goes into the document and out of it: $app', async ({ app }) => {
    const { content, comments, comment } = APPS[app];
    const panel = await plugins.open(app, { host: { app } });
    const { control } = panel;
    // The panel looks every 45 seconds.
    panel.hurry(20);

    COAST[app].open(control);
    if (app === 'PS')
      control.photoshop.change({ groups: [{ name: 'Birds', counts: [{ x: 1, y: 2 }] }] });
    const before = content(control);
    await connect(panel, service);
    await press(panel, COAST[app].button);
    await panel.waitFor('1 file uploaded');

    const { guest, id } = await guestAtNewest(service);
    await guest.submit('Send', { text: 'Darker', x: '0.25', y: '0.5' });
    await guest.submit('Continue', { name: 'Mia' });
    expect(guest.page.text).toContain('Darker');

    await press(panel, /1 open comment/);
    await panel.waitFor('Darker');
    await press(panel, 'Show in document');
    // The button appears once the step in the document has ended.
    await panel.waitFor('Remove from document');
    expect(comments(control)).toMatchObject([comment]);

    // The plugin gets the permission for it when it needs it.
    await press(panel, 'Mark as done');
    await panel.waitFor('allow it once in the browser');
    await press(panel, 'Open browser');
    await allow(panel, service);
    await panel.waitFor('Reopen');
    const done = 'SELECT 1 FROM share_answers WHERE upload_id = $1 AND done_at IS NOT NULL';
    const isDone = async (): Promise<boolean> =>
      (await service.database.query(done, [id])).length > 0;
    expect(await becomes(isDone)).toBe(true);

    await press(panel, 'Remove from document');
    await panel.waitFor('Removed from the document.');
    expect(content(control)).toEqual(before);
    expect(panel.uncaught).toEqual([]);
  });
});
