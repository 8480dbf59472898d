import { beforeEach, describe, expect, it } from '@jest/globals';
import { CwError } from '../../../src/util/errors.js';
import { PanelFixture } from '../../panel/fixture.js';
import { en } from '../../ui/i18n/translations.js';

let fixture: PanelFixture;
beforeEach(() => {
  fixture = new PanelFixture();
  fixture.connectedWith();
});

async function show(change: object): Promise<void> {
  fixture.placing.set({ ...fixture.placing.get(), ...change });
  await fixture.drawn();
}

describe('the line of a file that is placed', () => {
  it('names the file, shows how much is there, and cancels', async () => {
    await show({ current: { name: 'Coast.tif', received: 0, total: 0 } });
    expect(fixture.read()).toEqual(expect.arrayContaining(['Coast.tif', en.downloading]));
    expect(fixture.page.querySelector('.whole')).toBeNull();
    await show({ current: { name: 'Coast.tif', received: 50, total: 200 } });
    expect(fixture.page.querySelector('.whole')).not.toBeNull();
    await fixture.click(en.cancel);
    expect(fixture.actions.cancelPlacing).toHaveBeenCalledWith();
  });

  it('opens the browser for the permission', async () => {
    await show({ needsPermission: true });
    expect(fixture.read()).toContain(en.placingPermission);
    await fixture.click(en.openBrowser);
    expect(fixture.signInCalls.startForScope).toHaveBeenCalledWith('uploads:content');
  });

  it('shows why a file was not placed, and lets the user choose another folder', async () => {
    const failed = { name: 'Coast.tif', wanted: 'place' };
    await show({ failure: { ...failed, error: new CwError('CW-815', 'no') } });
    expect(fixture.page.textContent).toContain('Coast.tif was not placed');
    expect(fixture.page.textContent).toContain(en.errors['CW-815']);
    expect(fixture.buttons()).not.toContain(en.chooseFolder);
    await fixture.click(en.dismiss);
    expect(fixture.actions.dismissPlacing).toHaveBeenCalledWith();
    await show({ failure: { ...failed, error: new CwError('CW-706', 'no') } });
    await fixture.click(en.chooseFolder);
    expect(fixture.actions.choosePlacingFolder).toHaveBeenCalledWith();
  });

  it('shows why a file was not opened', async () => {
    const error = new CwError('CW-819', 'no');
    await show({ failure: { name: 'Coast.tif', wanted: 'open', error } });
    expect(fixture.page.textContent).toContain('Coast.tif was not opened');
    expect(fixture.page.textContent).toContain(en.errors['CW-819']);
  });
});
