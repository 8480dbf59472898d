import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

import { useService } from '../service/support/use-service.js';
import { allow, COAST, connect, guestAtNewest, pick, press, usePlugins } from './fixture.js';

const SIDECAR =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
  `<rdf:Description rdf:about="" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmpMM:DocumentID="${COAST.PS.identity}"/></rdf:RDF></x:xmpmeta>`;

/** The built plugin in the simulated Photoshop, the real service, and a guest in a browser without scripts. */
describe('a favorite of a guest', () => {
  const service = useService({ lifetimes: { pollIntervalSeconds: 1 } });
  const plugins = usePlugins(() => service.baseUrl);

  it('becomes five stars in the sidecar of a renamed file, and is undone', async () => {
    const panel = await plugins.open('PS');
    panel.hurry(20);
    COAST.PS.open(panel.control);
    await connect(panel, service);
    await press(panel, 'Upload this document');
    await panel.waitFor('1 file uploaded');
    const { guest } = await guestAtNewest(service);
    await guest.submit('Favorite');
    await guest.submit('Continue', { name: 'Mia' });

    const photos = join(plugins.folder, 'Photos');
    mkdirSync(photos);
    writeFileSync(join(photos, '2026-05-12 0001.nef'), 'raw');
    const sidecar = join(photos, '2026-05-12 0001.xmp');
    writeFileSync(sidecar, SIDECAR);
    const choose = async (opener: string | RegExp, entry: string | RegExp): Promise<void> => {
      await press(panel, opener);
      await panel.waitFor(() => panel.root.querySelector('.popover .entry') !== null);
      panel.click(entry);
    };
    await choose('Account menu', 'Get selects');
    await panel.waitFor('allow it once in the browser');
    await press(panel, 'Open browser');
    await allow(panel, service);
    await choose(/Choose link/, /Coast/);
    await press(panel, /Choose folder/);
    await pick(panel, photos);
    await panel.waitFor('Preview changes');
    await press(panel, 'Done');
    // With link and folder chosen, one press is enough.
    await panel.waitFor(() => panel.root.querySelector('.selects-line') !== null);
    await press(panel, /^Get selects/);
    await panel.waitFor('1 file changed');
    expect(readFileSync(sidecar, 'utf8')).toBe(
      SIDECAR.replace(
        '<rdf:Description',
        '<rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="5"',
      ),
    );
    await press(panel, 'Undo for 1 file');
    await panel.waitFor('1 file is as it was');
    expect(readFileSync(sidecar, 'utf8')).toBe(SIDECAR);
    expect(readdirSync(photos)).toHaveLength(2);
    expect(panel.uncaught).toEqual([]);
  });
});
